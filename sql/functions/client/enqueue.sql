create or replace function tenure.enqueue(
    name text,
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
-- Locks: the row of its idempotency key, if it has one; it waits for a racing enqueue of the same key.
declare
    v_settings tenure_private.settings;
    v_scheduled_at timestamptz;
    v_step_id bigint;
    v_key_id bigint;
    v_now timestamptz;
begin
    -- The transaction id before the clock: see raise_head().
    perform pg_current_xact_id();
    v_now := tenure_private.clock();
    v_settings := tenure_private.resolve(
        enqueue.name, enqueue.queue, enqueue.priority, enqueue.timeout, enqueue.deadline, enqueue.max_attempts,
        enqueue.backoff, enqueue.max_reclaims, enqueue.on_timeout, enqueue.start_within, enqueue.progress_timeout,
        enqueue.idempotency_period
    );
    if exists (select from tenure_private.queue_grant as g) then
        perform tenure_private.check_queue(v_settings.queue_id, enqueue.queue);
    end if;
    v_scheduled_at := tenure_private.due_from(enqueue.scheduled_at, enqueue.delay, v_now);
    perform tenure_private.check_size('input', tenure_private.document_size(enqueue.input));
    perform tenure_private.check_headers(enqueue.headers);
    v_step_id := tenure_private.new_step_id();
    if enqueue.idempotency_key is not null then
        perform tenure_private.check_name(enqueue.idempotency_key, 'idempotency_key');
        v_key_id := tenure_private.take_key('step', enqueue.name, enqueue.idempotency_key, v_step_id, v_now);
        if v_key_id <> v_step_id then
            return v_key_id;
        end if;
        perform tenure_private.limit_keys(array[v_step_id], v_now, v_settings.idempotency_period);
    end if;
    perform tenure_private.insert_steps(
        v_settings, array[v_step_id], array[coalesce(enqueue.input, '{}')], array[enqueue.headers],
        array[v_scheduled_at], v_now
    );
    return v_step_id;
end
$function$;
comment on function tenure.enqueue(
    text, jsonb, text, int, timestamptz, interval, interval, interval, int, jsonb, int, text, text, jsonb, interval,
    interval, interval
) is
'Makes a run of one step and returns its run_id, in the caller''s transaction. NULL means: as the definition of the name says, else the queue, else the built-in default. A known idempotency_key returns the first run''s id.
priority: -100 (first) to 100. delay: from now. timeout: of one execution. deadline: of the whole step. start_within: to its first claim. max_reclaims: -1 for no bound. backoff: {"kind", "base", "factor", "cap", "jitter"} in seconds. on_timeout: abandon or wait.
Errors: TN003 queue, TN005 names, TN006 durations, TN007 other arguments, TN008 sizes, TN009 timeout out of its queue''s bounds, TN018 a queue that is not the caller''s.';
revoke all on function tenure.enqueue(
    text, jsonb, text, int, timestamptz, interval, interval, interval, int, jsonb, int, text, text, jsonb, interval,
    interval, interval
) from public;
grant execute on function tenure.enqueue(
    text, jsonb, text, int, timestamptz, interval, interval, interval, int, jsonb, int, text, text, jsonb, interval,
    interval, interval
) to tenure_client;
