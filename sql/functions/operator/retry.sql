create or replace function tenure.retry(step_id bigint, extra_attempts int default 1)
returns text
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
-- Locks: the run exclusively, then the step; in a workflow then what is reopened with it, by id.
declare
    v_step tenure_private.step;
    v_now timestamptz;
    v_state text;
begin
    v_step := tenure_private.find_discarded(retry.step_id, retry.extra_attempts);
    v_now := tenure_private.clock();
    if v_step.parent_id is null and not v_step.tree then
        perform tenure_private.reopen_leaves(array[v_step.step_id], retry.extra_attempts, v_now);
    else
        perform tenure_private.reopen_in_tree(v_step, retry.extra_attempts, v_now);
    end if;
    select s.state into strict v_state from tenure_private.step as s where s.step_id = v_step.step_id;
    return v_state;
end
$function$;
comment on function tenure.retry(bigint, int) is
'Reopens a discarded step and returns its new state: error cleared, reclaims 0, deadline anew from now and start_within from when it is due, room for at least extra_attempts more attempts. A group reopens with the children that took it down; a child reopens its group, as far up as they were discarded, with the siblings that were cancelled with it.
Errors: TN001 unknown step, TN007 extra_attempts under 1, TN010 the step is not discarded, or its group has gone on without it, TN017 it is being purged.';
revoke all on function tenure.retry(bigint, int) from public;
grant execute on function tenure.retry(bigint, int) to tenure_operator;
