create or replace function tenure_private.passed_layer(p_step_id bigint, p_now timestamptz)
returns tenure_private.layer
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_layer tenure_private.layer;
begin
    select l.* into v_layer
    from tenure_private.layer as l
    where l.step_id = p_step_id and l.entered_at + l.span <= p_now
    order by l.position
    limit 1;
    return v_layer;
end
$function$;
comment on function tenure_private.passed_layer(bigint, timestamptz) is
'The outermost of a step''s layers that has passed, of those that count from where they were entered; NULLs: none.';
revoke all on function tenure_private.passed_layer(bigint, timestamptz) from public;
