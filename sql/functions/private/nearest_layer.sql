create or replace function tenure_private.nearest_layer(p_step_id bigint)
returns timestamptz
language sql stable parallel safe
set search_path = pg_catalog, pg_temp
as $function$
select min(l.entered_at + l.span) from tenure_private.layer as l where l.step_id = p_step_id;
$function$;
comment on function tenure_private.nearest_layer(bigint) is
'When the first of a step''s layers passes, as far as they count from where they were entered; NULL: none does. It stands in deadline_at.';
revoke all on function tenure_private.nearest_layer(bigint) from public;
