create or replace function tenure_private.child_settings(
    p_by tenure_private.step,
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
    p_idempotency_period interval
)
returns tenure_private.settings
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- What wraps each node of the group wraps it too. Inside of that, what the call says, else the definition.
declare
    v_group tenure_private.step_group;
    v_own tenure_private.definition;
    v_settings tenure_private.settings;
    v_policy tenure_private.settings;
begin
    select g.* into v_group from tenure_private.step_group as g where g.step_id = p_by.parent_id;
    select d.* into v_own from tenure_private.definition as d where d.name = p_name;
    v_settings := tenure_private.resolve(
        p_name, p_queue, p_priority, p_timeout, p_deadline, p_max_attempts, p_backoff, p_max_reclaims, p_on_timeout,
        p_start_within, p_progress_timeout, p_idempotency_period,
        tenure_private.leaf_quotas(null, v_group.quota_ids, v_own)
    );
    if coalesce(v_group.inherited, '[]') = '[]' then
        return v_settings;
    end if;
    v_own.timeout := coalesce(tenure_private.duration(p_timeout, 'timeout'), v_own.timeout);
    v_own.deadline := v_settings.deadline;
    v_own.max_attempts := case when p_max_attempts is null then v_own.max_attempts else greatest(p_max_attempts, 1) end;
    v_own.backoff := v_settings.backoff;
    v_policy := tenure_private.policy_settings(v_group.inherited || tenure_private.definition_policy(v_own));
    select tenure_private.bounded_timeout(q, v_policy.timeout) into strict v_policy.timeout
    from tenure_private.queue as q where q.queue_id = v_settings.queue_id;
    return tenure_private.with_policy(v_settings, v_policy);
end
$function$;
comment on function tenure_private.child_settings(
    tenure_private.step, text, text, int, interval, interval, int, jsonb, int, text, interval, interval, interval
) is
'resolve() for a child that a running step starts: with the quotas and the policies around the nodes of its group.';
revoke all on function tenure_private.child_settings(
    tenure_private.step, text, text, int, interval, interval, int, jsonb, int, text, interval, interval, interval
) from public;
