create or replace function tenure_private.has_details(p_run_id bigint)
returns boolean
language sql stable parallel safe
as $function$
select
    exists (select from tenure_private.attempt as a where a.step_id = p_run_id)
    or exists (select from tenure_private.wait as w where w.step_id = p_run_id)
    or exists (select from tenure_private.signal as g where g.run_id = p_run_id)
    or exists (select from tenure_private.checkpoint as c where c.step_id = p_run_id)
    or exists (select from tenure_private.idempotency as i where i.step_id = p_run_id);
$function$;
comment on function tenure_private.has_details(bigint) is 'Whether rows of other tables still belong to a run.';
revoke all on function tenure_private.has_details(bigint) from public;
