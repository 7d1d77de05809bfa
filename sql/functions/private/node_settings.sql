create or replace function tenure_private.node_settings(
    p_node tenure_private.node, p_role text, p_inherited jsonb, p_quota_ids int[], p_queue text, p_priority int
)
returns tenure_private.settings
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- Nothing is refused here: a fold may be the caller.
declare
    v_default tenure_private.definition;
    v_queue tenure_private.queue;
    v_policy tenure_private.settings;
    v_settings tenure_private.settings;
begin
    if p_role = 'leaf' then
        select d.* into v_default from tenure_private.definition as d where d.name = p_node.step;
    end if;
    v_queue := tenure_private.find_queue(coalesce(p_node.queue, v_default.queue, p_queue, 'default'));
    v_policy := tenure_private.policy_settings(tenure_private.node_policy(p_node, p_role, p_inherited, v_default));
    if p_role = 'leaf' then
        v_policy.timeout := tenure_private.bounded_timeout(v_queue, v_policy.timeout);
        v_settings := tenure_private.resolve(
            p_node.step, v_queue.name, coalesce(p_node.priority, v_default.priority, p_priority),
            v_policy.timeout, null, v_policy.max_attempts, v_policy.backoff, null, null, null, null, null,
            tenure_private.leaf_quotas(p_node, p_quota_ids, v_default)
        );
    else
        v_settings.queue_id := v_queue.queue_id;
        v_settings.track_id := tenure_private.find_track(
            v_queue.queue_id, coalesce(p_node.priority, p_priority, 0), p_node.name, null, null
        );
        v_settings.on_timeout := 'abandon';
        v_settings.max_attempts := 1;
    end if;
    return tenure_private.with_policy(v_settings, v_policy);
end
$function$;
comment on function tenure_private.node_settings(tenure_private.node, text, jsonb, int[], text, int) is
'The policy of a child made for a node. p_role: leaf, mount or map (the group, whose elements are leaves or mounts); p_inherited: the layers around it; p_quota_ids: the quotas around it; p_queue, p_priority: those of its group, where neither node nor definition says any.';
revoke all on function tenure_private.node_settings(tenure_private.node, text, jsonb, int[], text, int) from public;
