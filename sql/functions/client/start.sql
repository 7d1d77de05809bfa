create or replace function tenure.start(
    workflow text,
    input jsonb default '{}',
    queue text default null,
    priority int default null,
    scheduled_at timestamptz default null,
    delay interval default null,
    timeout interval default null,
    deadline interval default null,
    max_attempts int default null,
    backoff jsonb default null,
    max_reclaims int default null,
    idempotency_key text default null,
    on_timeout text default null,
    headers jsonb default null,
    start_within interval default null,
    progress_timeout interval default null,
    idempotency_period interval default null
)
returns bigint
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
-- Locks: the row of its idempotency key, if it has one; it waits for a racing start of the same key.
declare
    v_workflow tenure_private.workflow;
    v_settings tenure_private.settings;
    v_scheduled_at timestamptz;
    v_run_id bigint;
    v_key_id bigint;
    v_now timestamptz;
begin
    -- The transaction id before the clock: see raise_head().
    perform pg_current_xact_id();
    v_now := tenure_private.clock();
    v_workflow := tenure_private.latest_workflow(start.workflow);
    perform tenure_private.check_leaf_only(
        start.max_reclaims, start.on_timeout, start.start_within, start.progress_timeout
    );
    v_settings := tenure_private.run_settings(
        start.workflow, start.queue, start.priority, start.timeout, start.deadline, start.max_attempts, start.backoff,
        start.idempotency_period
    );
    -- Once more: a workflow that it mounts may have grown.
    perform tenure_private.check_extent(v_workflow.workflow_id);
    perform tenure_private.check_run_queues(v_workflow.workflow_id, coalesce(start.queue, 'default'));
    v_scheduled_at := tenure_private.due_from(start.scheduled_at, start.delay, v_now);
    perform tenure_private.check_input(start.input);
    perform tenure_private.check_headers(start.headers);
    v_run_id := tenure_private.new_step_id();
    if start.idempotency_key is not null then
        perform tenure_private.check_name(start.idempotency_key, 'idempotency_key');
        v_key_id := tenure_private.take_key('workflow', start.workflow, start.idempotency_key, v_run_id, v_now);
        if v_key_id <> v_run_id then
            return v_key_id;
        end if;
        perform tenure_private.limit_keys(array[v_run_id], v_now, v_settings.idempotency_period);
    end if;
    perform tenure_private.insert_run(
        v_workflow, v_run_id, v_settings, coalesce(start.input, '{}'), start.headers, v_scheduled_at, v_now
    );
    perform tenure_private.fold_run(v_run_id, tenure_private.open_groups(array[v_run_id], v_now));
    return v_run_id;
end
$function$;
comment on function tenure.start(
    text, jsonb, text, int, timestamptz, interval, interval, interval, int, jsonb, int, text, text, jsonb, interval,
    interval, interval
) is
'Starts a run of the newest version of a workflow and returns its run_id, in the caller''s transaction. input: an object, whose members are the run''s first keys. queue, priority: of its steps, where neither node nor definition says any. scheduled_at, delay: of the first of them. timeout: of one attempt of the whole; deadline: of all attempts; max_attempts: how often the whole may be begun, 1 by default, after backoff. headers: handed to each step. max_reclaims, on_timeout, start_within, progress_timeout are for steps and refused.
Errors: as enqueue; TN007 input that is no object, TN018 a queue that is not the caller''s, of any of its steps; TN030 unknown workflow, TN031 one that has grown to more than 10,000 steps.';
revoke all on function tenure.start(
    text, jsonb, text, int, timestamptz, interval, interval, interval, int, jsonb, int, text, text, jsonb, interval,
    interval, interval
) from public;
grant execute on function tenure.start(
    text, jsonb, text, int, timestamptz, interval, interval, interval, int, jsonb, int, text, text, jsonb, interval,
    interval, interval
) to tenure_client;
