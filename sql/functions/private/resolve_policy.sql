create or replace function tenure_private.resolve_policy(p_policy jsonb)
returns tenure_private.settings
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_unknown constant jsonb = p_policy - array[
        'name', 'queue', 'priority', 'timeout', 'deadline', 'max_attempts', 'backoff', 'max_reclaims', 'on_timeout',
        'start_within', 'progress_timeout', 'idempotency_period'
    ];
    r_policy record;
begin
    if v_unknown <> '{}' then
        perform tenure_private.refuse(
            'argument_invalid', 'a step has an unknown key',
            v_unknown::text, 'The keys are the parameters of tenure.enqueue.'
        );
    elsif exists (
        select from jsonb_each(p_policy) as m where m.key <> 'backoff' and jsonb_typeof(m.value) in ('object', 'array')
    ) then
        -- Not left to the casts: PostgreSQL 15 reads {"s": 1} as an interval.
        perform tenure_private.refuse(
            'argument_invalid', 'a step has a value of the wrong type',
            p_policy::text, 'See tenure.enqueue for the types.'
        );
    end if;
    begin
        select p.* into strict r_policy
        from jsonb_to_record(p_policy) as p (
            name text, queue text, priority int, timeout interval, deadline interval, max_attempts int, backoff jsonb,
            max_reclaims int, on_timeout text, start_within interval, progress_timeout interval,
            idempotency_period interval
        );
    exception when data_exception then
        perform tenure_private.refuse(
            'argument_invalid', 'a step has a value of the wrong type',
            sqlerrm, 'See tenure.enqueue for the types.'
        );
    end;
    return tenure_private.resolve(
        r_policy.name, r_policy.queue, r_policy.priority, r_policy.timeout, r_policy.deadline, r_policy.max_attempts,
        nullif(r_policy.backoff, 'null'), r_policy.max_reclaims, r_policy.on_timeout, r_policy.start_within,
        r_policy.progress_timeout, r_policy.idempotency_period
    );
end
$function$;
comment on function tenure_private.resolve_policy(jsonb) is 'resolve() for a policy in JSON.';
revoke all on function tenure_private.resolve_policy(jsonb) from public;
