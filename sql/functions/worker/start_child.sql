create or replace function tenure.start_child(
    step_id bigint,
    owner text,
    generation bigint,
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
-- Locks: as a report: the run shared, then the step; then the row of its idempotency key.
declare
    v_step tenure_private.step;
    v_settings tenure_private.settings;
    v_scheduled_at timestamptz;
    v_child_id bigint;
    v_key_id bigint;
    v_now timestamptz;
begin
    perform tenure_private.check_pairs(array[start_child.step_id], start_child.owner, array[start_child.generation]);
    perform tenure_private.lock_run_shared(array[start_child.step_id])
    where tenure_private.hidden_steps(array[start_child.step_id]) = '{}';
    select s.* into v_step
    from tenure_private.step as s
    where s.step_id = start_child.step_id and s.step_id <> all(tenure_private.hidden_steps(array[start_child.step_id]))
    for no key update;
    perform tenure_private.check_lease(v_step, start_child.step_id, start_child.owner, start_child.generation);
    v_now := tenure_private.clock();
    perform tenure_private.check_in_time(v_step, v_now);
    v_settings := tenure_private.child_settings(
        v_step, start_child.name, start_child.queue, start_child.priority, start_child.timeout, start_child.deadline,
        start_child.max_attempts, start_child.backoff, start_child.max_reclaims, start_child.on_timeout,
        start_child.start_within, start_child.progress_timeout, start_child.idempotency_period
    );
    perform tenure_private.check_queue(v_settings.queue_id, start_child.queue);
    v_scheduled_at := tenure_private.due_from(start_child.scheduled_at, start_child.delay, v_now);
    perform tenure_private.check_size('input', tenure_private.document_size(start_child.input));
    perform tenure_private.check_headers(start_child.headers);
    v_child_id := tenure_private.new_step_id();
    if start_child.idempotency_key is not null then
        perform tenure_private.check_name(start_child.idempotency_key, 'idempotency_key');
        v_key_id := tenure_private.take_key(
            format('child of %s/%s', coalesce(v_step.parent_id, v_step.step_id), coalesce(v_step.group_attempt, 0)),
            start_child.name, start_child.idempotency_key, v_child_id, v_now
        );
        if v_key_id <> v_child_id then
            return v_key_id;
        end if;
        perform tenure_private.limit_keys(array[v_child_id], v_now, v_settings.idempotency_period);
    end if;
    perform tenure_private.insert_child(
        v_step, v_child_id, v_settings, coalesce(start_child.input, '{}'),
        coalesce(start_child.headers, v_settings.headers, v_step.headers), v_scheduled_at, v_now
    );
    return v_child_id;
end
$function$;
comment on function tenure.start_child(
    bigint, text, bigint, text, jsonb, text, int, timestamptz, interval, interval, interval, int, jsonb, int, text,
    text, jsonb, interval, interval, interval
) is
'Makes a further step in the run of a step that is running, in the caller''s transaction, and returns its step_id. In a workflow it joins the group of that step: the group waits for it, its failure is the group''s, and the policies and quotas around each node there are around it too. The children of a plain job are cancelled when the job ends before them. Parameters as of enqueue; an idempotency_key holds within one attempt of the group, so that a handler that is called again gets the first child.
Errors: as enqueue; TN014 without the lease or past a limit.';
revoke all on function tenure.start_child(
    bigint, text, bigint, text, jsonb, text, int, timestamptz, interval, interval, interval, int, jsonb, int, text,
    text, jsonb, interval, interval, interval
) from public;
grant execute on function tenure.start_child(
    bigint, text, bigint, text, jsonb, text, int, timestamptz, interval, interval, interval, int, jsonb, int, text,
    text, jsonb, interval, interval, interval
) to tenure_worker;
