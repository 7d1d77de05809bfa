create or replace function tenure_private.resolve(
    p_name text,
    p_queue text,
    p_priority int,
    p_timeout interval,
    p_deadline interval,
    p_max_attempts int,
    p_backoff jsonb,
    p_max_reclaims int,
    p_on_timeout text,
    p_start_within interval,
    p_progress_timeout interval,
    p_idempotency_period interval,
    p_quota_ids int[] default null
)
returns tenure_private.settings
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- What the call says beats the definition, which beats the queue, which beats what is built in.
declare
    v_given tenure_private.settings;
    v_default tenure_private.definition;
    v_queue tenure_private.queue;
    v_quota_ids int [];
begin
    perform tenure_private.check_name(p_name, 'name');
    v_given := tenure_private.check_settings(
        p_priority, p_timeout, p_deadline, p_max_attempts, p_backoff, p_max_reclaims, p_on_timeout, p_start_within,
        p_progress_timeout, p_idempotency_period
    );
    select d.* into v_default from tenure_private.definition as d where d.name = p_name;
    v_queue := tenure_private.find_queue(coalesce(p_queue, v_default.queue, 'default'));
    v_given.queue_id := v_queue.queue_id;
    v_quota_ids := nullif(
        coalesce(p_quota_ids, case when v_default.quota_id is not null then array[v_default.quota_id] end), '{}'
    );
    v_given.track_id := tenure_private.find_track(
        v_queue.queue_id, coalesce(p_priority, v_default.priority, 0), p_name, v_quota_ids,
        case when v_quota_ids is not null then coalesce(v_default.quota_units, 1) end
    );
    -- Where nobody says one, a ceiling is one: no timeout at all would lie above it.
    v_given.timeout := coalesce(
        v_given.timeout, v_default.timeout, v_queue.timeout_default, v_queue.timeout_ceiling
    );
    perform tenure_private.check_timeout(v_queue, v_given.timeout);
    v_given.deadline := coalesce(v_given.deadline, v_default.deadline);
    v_given.max_attempts := greatest(coalesce(p_max_attempts, v_default.max_attempts, 5), 1);
    v_given.backoff := coalesce(p_backoff, v_default.backoff);
    v_given.max_reclaims := nullif(coalesce(p_max_reclaims, v_default.max_reclaims, 10), -1);
    v_given.on_timeout := coalesce(p_on_timeout, v_default.on_timeout, 'abandon');
    v_given.start_within := coalesce(v_given.start_within, v_default.start_within);
    v_given.progress_timeout := coalesce(v_given.progress_timeout, v_default.progress_timeout);
    v_given.idempotency_period := coalesce(v_given.idempotency_period, v_default.idempotency_period);
    v_given.headers := v_default.headers;
    return v_given;
end
$function$;
comment on function tenure_private.resolve(
    text, text, int, interval, interval, int, jsonb, int, text, interval, interval, interval, int[]
) is
'The policy of a step to be enqueued, from call, definition, queue and built-in defaults; refuses what is malformed or unknown. p_quota_ids: its quotas, NULL: that of the definition.';
revoke all on function tenure_private.resolve(
    text, text, int, interval, interval, int, jsonb, int, text, interval, interval, interval, int[]
) from public;
