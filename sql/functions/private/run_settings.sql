create or replace function tenure_private.run_settings(
    p_workflow text,
    p_queue text,
    p_priority int,
    p_timeout interval,
    p_deadline interval,
    p_max_attempts int,
    p_backoff jsonb,
    p_idempotency_period interval
)
returns tenure_private.settings
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- A step of the same name has nothing to do with it, and a queue's bounds are those of executions.
declare
    v_settings tenure_private.settings;
    v_queue tenure_private.queue;
begin
    v_settings := tenure_private.check_settings(
        p_priority, p_timeout, p_deadline, p_max_attempts, p_backoff, null, null, null, null, p_idempotency_period
    );
    v_queue := tenure_private.find_queue(coalesce(p_queue, 'default'));
    v_settings.queue_id := v_queue.queue_id;
    v_settings.track_id := tenure_private.find_track(v_queue.queue_id, coalesce(p_priority, 0), p_workflow, null, null);
    v_settings.max_attempts := coalesce(v_settings.max_attempts, 1);
    v_settings.backoff := p_backoff;
    v_settings.on_timeout := 'abandon';
    return v_settings;
end
$function$;
comment on function tenure_private.run_settings(text, text, int, interval, interval, int, jsonb, interval) is
'The policy of a run of a workflow: what start() says, one attempt where it says none; refuses what is malformed or unknown.';
revoke all on function tenure_private.run_settings(
    text, text, int, interval, interval, int, jsonb, interval
) from public;
