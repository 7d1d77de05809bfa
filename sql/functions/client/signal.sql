create or replace function tenure.signal(run_id bigint, signal text, payload jsonb default null)
returns text
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
-- Locks: the run, so that a wait that begins at the same time either finds this signal or is found by it.
declare
    v_run tenure_private.step;
    v_step tenure_private.step;
    v_key text;
    v_now timestamptz;
begin
    perform tenure_private.check_name(signal.signal, 'signal');
    perform tenure_private.check_size('payload', tenure_private.document_size(signal.payload));
    v_run := tenure_private.locked_run(signal.run_id);
    v_now := tenure_private.clock();
    if v_run.finished_at is not null then
        return 'over';
    end if;
    if v_run.tree then
        perform tenure_private.lock_children(v_run.step_id);
        -- Nothing changes but the row's version: a report with an older snapshot does not get the run's lock.
        update tenure_private.step as s set tree = true where s.step_id = v_run.step_id;
    end if;
    insert into tenure_private.signal (run_id, signal, payload, created_at)
    values (v_run.step_id, signal.signal, signal.payload, v_now);
    -- The oldest wait that is open and not due to end otherwise; a paused run gets its signals at resume.
    select s.step_id, w.key into v_step.step_id, v_key
    from tenure_private.step as s
    join tenure_private.wait as w on w.step_id = s.step_id and w.outcome is null and w.signal = signal.signal
    where (s.step_id = v_run.step_id or (s.root_id = v_run.step_id and s.parent_id is not null))
        and s.state = 'waiting_signal' and (s.due_at is null or s.due_at > v_now)
        and least(s.deadline_at, s.group_limit_at) > v_now is not false
    order by w.seq
    limit 1;
    if v_key is null then
        return 'kept';
    end if;
    perform tenure_private.deliver_signal(v_step.step_id, v_key, v_now);
    return 'delivered';
end
$function$;
comment on function tenure.signal(bigint, text, jsonb) is
'Sends a signal to a run: delivered to the oldest wait for it, kept for the next one, or over when the run has ended. payload: any JSON, at most 1 MB.
Errors: TN001 unknown run, TN002 a child''s id, TN005 name, TN008 size.';
revoke all on function tenure.signal(bigint, text, jsonb) from public;
grant execute on function tenure.signal(bigint, text, jsonb) to tenure_client, tenure_operator;
