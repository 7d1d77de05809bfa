create or replace function tenure_private.take_events(p_run_id bigint)
returns bigint[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_step_ids bigint [];
begin
    with taken as (delete from tenure_private.event as e where e.run_id = p_run_id returning e.step_ids)
    select coalesce(array_agg(distinct u.step_id order by u.step_id), '{}') into strict v_step_ids
    from taken as t
    cross join unnest(t.step_ids) as u (step_id);
    return v_step_ids;
end
$function$;
comment on function tenure_private.take_events(bigint) is 'Takes what was noted for the next fold of a run.';
revoke all on function tenure_private.take_events(bigint) from public;
