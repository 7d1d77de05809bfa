create or replace function tenure.define_step(
    name text,
    queue text default null,
    priority int default null,
    timeout interval default null,
    deadline interval default null,
    max_attempts int default null,
    backoff jsonb default null,
    max_reclaims int default null,
    on_timeout text default null,
    headers jsonb default null,
    start_within interval default null,
    progress_timeout interval default null,
    idempotency_period interval default null,
    quota text default null,
    quota_units int default 1
)
returns void
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
declare
    v_settings tenure_private.settings;
    v_queue tenure_private.queue;
    v_quota tenure_private.quota;
begin
    perform tenure_private.check_name(define_step.name, 'name');
    perform tenure_private.check_headers(define_step.headers);
    v_settings := tenure_private.check_settings(
        define_step.priority, define_step.timeout, define_step.deadline, define_step.max_attempts, define_step.backoff,
        define_step.max_reclaims, define_step.on_timeout, define_step.start_within, define_step.progress_timeout,
        define_step.idempotency_period
    );
    v_queue := tenure_private.find_queue(coalesce(define_step.queue, 'default'));
    if v_settings.timeout is not null then
        perform tenure_private.check_timeout(v_queue, v_settings.timeout);
    end if;
    if define_step.quota is not null then
        v_quota := tenure_private.find_quota(define_step.quota);
    end if;
    -- What stands already is not held against a capacity that was lowered since: else no worker could start.
    if not exists (
        select
        from tenure_private.definition as d
        where d.name = define_step.name and d.quota_id = v_quota.quota_id and d.quota_units = define_step.quota_units
    ) then
        perform tenure_private.check_units(v_quota, define_step.quota_units);
    end if;
    perform tenure_private.check_definition(define_step.name, define_step.queue);
    -- Makes the usual track, so that the first enqueue of a new name has it.
    perform tenure_private.find_track(
        v_queue.queue_id, coalesce(define_step.priority, 0), define_step.name,
        case when v_quota.quota_id is not null then array[v_quota.quota_id] end,
        case when v_quota.quota_id is not null then define_step.quota_units end
    );
    insert into tenure_private.definition as d (
        name, queue, priority, timeout, deadline, max_attempts, backoff, max_reclaims, on_timeout, headers,
        start_within, progress_timeout, idempotency_period, quota_id, quota_units
    )
    values (
        define_step.name, define_step.queue, define_step.priority, v_settings.timeout, v_settings.deadline,
        v_settings.max_attempts, define_step.backoff, define_step.max_reclaims, define_step.on_timeout,
        define_step.headers, v_settings.start_within, v_settings.progress_timeout, v_settings.idempotency_period,
        v_quota.quota_id, define_step.quota_units
    )
    on conflict on constraint definition_pkey do update set (
        queue, priority, timeout, deadline, max_attempts, backoff, max_reclaims, on_timeout, headers, start_within,
        progress_timeout, idempotency_period, quota_id, quota_units
    ) = (
        excluded.queue, excluded.priority, excluded.timeout, excluded.deadline, excluded.max_attempts, excluded.backoff,
        excluded.max_reclaims, excluded.on_timeout, excluded.headers, excluded.start_within, excluded.progress_timeout,
        excluded.idempotency_period, excluded.quota_id, excluded.quota_units
    )
    -- Every worker says its definitions at its start: the same again writes nothing.
    where d is distinct from excluded;
end
$function$;
comment on function tenure.define_step(
    text, text, int, interval, interval, int, jsonb, int, text, jsonb, interval, interval, interval, text, int
) is
'Sets the defaults of a step name, replacing those set before. They hold for steps enqueued from now on; NULL: as the queue says, else the built-in default. Parameters as of enqueue. quota: each of these steps needs quota_units of it while it runs.
Errors: as enqueue; TN007 for units under 1 or above the capacity, TN015 for an unknown quota, TN018 also for a name that was defined for a queue which is not the caller''s; without a queue it is for the default one.';
revoke all on function tenure.define_step(
    text, text, int, interval, interval, int, jsonb, int, text, jsonb, interval, interval, interval, text, int
) from public;
grant execute on function tenure.define_step(
    text, text, int, interval, interval, int, jsonb, int, text, jsonb, interval, interval, interval, text, int
) to tenure_client, tenure_worker;
