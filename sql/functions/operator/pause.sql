create or replace function tenure.pause(run_id bigint)
returns int
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
-- Locks: the run exclusively, then its steps by id.
declare
    v_run tenure_private.step;
    v_ids bigint [];
    v_now timestamptz;
    v_count int;
begin
    perform tenure_private.lock_whole(pause.run_id);
    v_run := tenure_private.find_run(pause.run_id);
    v_ids := tenure_private.lock_steps(v_run.step_id);
    v_now := tenure_private.clock();
    -- The clocks of groups stand still, for their running children too; what has passed has passed.
    update tenure_private.step as s
    set pausing = true, group_limit_at = case when s.group_limit_at <= v_now then s.group_limit_at end
    where s.step_id = any(v_ids) and s.state = 'running';
    update tenure_private.step as s
    set state = 'paused', paused_state = s.state, paused_at = v_now, alarm_at = null
    where s.step_id = any(v_ids) and s.finished_at is null and s.state not in ('running', 'paused');
    get diagnostics v_count = row_count;
    return v_count;
end
$function$;
comment on function tenure.pause(bigint) is
'Pauses a run and returns how many of its steps became paused. A running step goes on; if its verdict leaves it unfinished it becomes paused then, and what follows from it for its group waits for resume. Clocks of deadline, start_within, group timeouts and signal time-outs stand still meanwhile.
Errors: TN001 unknown run, TN002 a child''s id.';
revoke all on function tenure.pause(bigint) from public;
grant execute on function tenure.pause(bigint) to tenure_operator;
