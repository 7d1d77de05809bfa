create or replace function tenure.cancel(run_id bigint, reason text default null)
returns int
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
-- Locks: the run exclusively, then its steps by id. A report that holds them is waited for; whoever is first, wins.
declare
    v_run tenure_private.step;
    v_now timestamptz;
    v_ids bigint [];
begin
    v_run := tenure_private.locked_run(cancel.run_id);
    v_ids := tenure_private.lock_steps(v_run.step_id);
    v_now := tenure_private.clock();
    select array_agg(s.step_id) into strict v_ids
    from tenure_private.step as s
    where s.step_id = any(v_ids) and s.finished_at is null;
    if v_ids is null then
        return 0;
    end if;
    perform tenure_private.call_off_steps(v_ids, cancel.reason, v_now);
    perform tenure_private.take_events(v_run.step_id);
    return cardinality(v_ids);
end
$function$;
comment on function tenure.cancel(bigint, text) is
'Sets a run and every step under it that has not ended to cancelled, at once, and returns how many; 0: it was over already. A running handler is told by notification or at its next heartbeat; run_status.in_flight tells when it is known to be gone.
Errors: TN001 unknown run, TN002 a child''s id.';
revoke all on function tenure.cancel(bigint, text) from public;
grant execute on function tenure.cancel(bigint, text) to tenure_client, tenure_operator;
