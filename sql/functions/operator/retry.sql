create or replace function tenure.retry(step_id bigint, extra_attempts int default 1)
returns text
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
-- Locks: the run exclusively, then the step.
declare
    v_step tenure_private.step;
    v_now timestamptz;
    v_due_at timestamptz;
begin
    v_step := tenure_private.find_discarded(retry.step_id, retry.extra_attempts);
    v_now := tenure_private.clock();
    -- Under on_timeout = wait two bodies never overlap: not before the old one's lease has ended.
    v_due_at := case when v_step.on_timeout = 'wait' then greatest(v_now, v_step.lease_expiry) else v_now end;
    update tenure_private.step as s
    set state = 'available',
        scheduled_at = v_due_at,
        attempt = least(s.attempt::bigint + tenure_private.was_consumed(s.error_kind), 2147483647)::int,
        max_attempts = greatest(s.max_attempts, least(s.attempt::bigint + retry.extra_attempts, 2147483647)::int),
        reclaims = 0,
        error = null,
        error_kind = null,
        finished_at = null,
        lease_owner = null,
        lease_expiry = null,
        deadline_at = v_now + s.deadline,
        start_by = v_due_at + s.start_within,
        alarm_at = tenure_private.next_alarm(
            v_now, 'available', null, s.on_timeout, null, null, null, null, v_now + s.deadline,
            v_due_at + s.start_within, null
        )
    where s.step_id = v_step.step_id;
    perform tenure_private.wake(v_step.track_id);
    return 'available';
end
$function$;
comment on function tenure.retry(bigint, int) is
'Reopens a discarded step and returns its new state: error cleared, reclaims 0, deadline anew from now and start_within from when it is due, room for at least extra_attempts more attempts.
Errors: TN001 unknown step, TN007 extra_attempts under 1, TN010 the step is not discarded, TN017 it is being purged.';
revoke all on function tenure.retry(bigint, int) from public;
grant execute on function tenure.retry(bigint, int) to tenure_operator;
