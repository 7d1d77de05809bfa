create or replace function tenure_private.insert_children(
    p_parent_ids bigint[],
    p_inputs jsonb[],
    p_positions int[],
    p_node tenure_private.node,
    p_role text,
    p_settings tenure_private.settings,
    p_now timestamptz
)
returns bigint[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- An element of a map waits for nothing more than its map did: it can be claimed at once, and needs its node only
-- for further keys.
declare
    v_step_ids bigint [];
    v_state constant text = case when p_positions is not null and p_role = 'leaf' then 'available' else 'pending' end;
    v_node_id constant int = case
        when p_positions is null or exists (
            select from tenure_private.need as w where w.node_id = p_node.node_id and w.key <> p_node.map_key
        ) then p_node.node_id
    end;
begin
    select array_agg(tenure_private.new_step_id()) into strict v_step_ids
    from generate_series(1, cardinality(p_parent_ids));
    insert into tenure_private.step (
        step_id, root_id, parent_id, track_id, state, scheduled_at, created_at, attempt, max_attempts, reclaims,
        max_reclaims, releases, lease_generation, timeout, deadline, deadline_at, start_within, start_by,
        progress_timeout, on_timeout, backoff, headers, input, tree, pausing, waited, purging, alarm_at,
        node_id, position, group_attempt, group_limit_at
    )
    select
        u.step_id, g.root_id, g.step_id, p_settings.track_id, v_state, d.due_at, p_now, 1, p_settings.max_attempts, 0,
        p_settings.max_reclaims, 0, 0, p_settings.timeout, p_settings.deadline,
        p_now + coalesce(p_settings.bound, p_settings.deadline),
        p_settings.start_within, d.start_by, p_settings.progress_timeout, p_settings.on_timeout, p_settings.backoff,
        coalesce(g.headers, p_settings.headers), coalesce(u.input, '{}'), p_role <> 'leaf', false, false, false,
        tenure_private.next_alarm(
            p_now, v_state, null, null, null, null, null, null,
            p_now + coalesce(p_settings.bound, p_settings.deadline), d.start_by, null
        ),
        v_node_id, u.position, g.attempt, tenure_private.limit_below(g)
    from unnest(v_step_ids, p_parent_ids, p_inputs, p_positions) as u (step_id, parent_id, input, position)
    join tenure_private.step as g on g.step_id = u.parent_id
    cross join lateral (
        select
            greatest(p_now, g.scheduled_at) as due_at,
            case
                when v_state = 'available' then greatest(p_now, g.scheduled_at) + p_settings.start_within
            end as start_by
    ) as d;
    insert into tenure_private.member (group_id, attempt, node_id, step_id)
    select u.parent_id, g.attempt, p_node.node_id, u.step_id
    from unnest(v_step_ids, p_parent_ids) as u (step_id, parent_id)
    join tenure_private.step as g on g.step_id = u.parent_id;
    if p_settings.layers is not null then
        perform tenure_private.add_layers(v_step_ids, p_settings.layers, p_now);
    end if;
    if p_role <> 'leaf' then
        perform tenure_private.insert_groups(v_step_ids, p_parent_ids, p_node, p_role);
    elsif v_state = 'available' then
        perform tenure_private.wake(p_settings.track_id);
    end if;
    return v_step_ids;
end
$function$;
comment on function tenure_private.insert_children(
    bigint[], jsonb[], int[], tenure_private.node, text, tenure_private.settings, timestamptz
) is 'Makes one child of a node for each of these groups, in their present attempt, and returns the ids in order: pending, but available where it is a leaf of a map. p_positions: which elements of a map they are; NULL: none.';
revoke all on function tenure_private.insert_children(
    bigint[], jsonb[], int[], tenure_private.node, text, tenure_private.settings, timestamptz
) from public;
