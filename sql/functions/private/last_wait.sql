create or replace function tenure_private.last_wait(p_step_id bigint)
returns jsonb
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_wait jsonb;
begin
    select jsonb_build_object(
        'key', w.key, 'kind', w.kind, 'signal', w.signal, 'outcome', w.outcome, 'payload', w.payload
    ) into v_wait
    from tenure_private.wait as w
    where w.step_id = p_step_id and w.outcome is not null
    order by coalesce(w.again, w.seq) desc
    limit 1;
    return v_wait;
end
$function$;
comment on function tenure_private.last_wait(bigint) is 'What ended the wait that a step asked for last, as claimed.signal shows it.';
revoke all on function tenure_private.last_wait(bigint) from public;
