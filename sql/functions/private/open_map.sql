create or replace function tenure_private.open_map(p_group_id bigint, p_now timestamptz)
returns bigint[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_step tenure_private.step;
    v_group tenure_private.step_group;
    v_node tenure_private.node;
    v_role text;
    v_elements jsonb;
    v_count int;
    v_children bigint [];
begin
    select s.* into strict v_step from tenure_private.step as s where s.step_id = p_group_id;
    select g.* into strict v_group from tenure_private.step_group as g where g.step_id = p_group_id;
    select n.* into strict v_node from tenure_private.node as n where n.node_id = v_step.node_id;
    v_elements := tenure_private.key_values(
        v_step.parent_id, v_step.group_attempt, array[v_node.map_key]
    ) -> v_node.map_key;
    if jsonb_typeof(v_elements) <> 'array' or jsonb_array_length(v_elements) > 10000 then
        return tenure_private.refuse_map(v_step, v_node.map_key, v_elements, p_now);
    end if;
    v_count := jsonb_array_length(v_elements);
    if v_count = 0 then
        return tenure_private.conclude(array[p_group_id], p_now);
    end if;
    v_role := case when v_node.workflow is not null then 'mount' else 'leaf' end;
    v_children := tenure_private.insert_children(
        array_fill(p_group_id, array[v_count]),
        array(select e.item from jsonb_array_elements(v_elements) with ordinality as e (item, n) order by e.n),
        array(select g.n from generate_series(0, v_count - 1) as g (n)), v_node, v_role,
        tenure_private.node_settings(
            v_node, v_role, v_group.inherited, v_group.quota_ids, tenure_private.queue_name(v_step.track_id),
            (select t.priority from tenure_private.track as t where t.track_id = v_step.track_id)
        ),
        p_now
    );
    update tenure_private.step_group as g set open = v_count where g.step_id = p_group_id;
    if v_role = 'mount' then
        return tenure_private.open_groups(v_children, p_now);
    end if;
    return array[]::bigint [];
end
$function$;
comment on function tenure_private.open_map(bigint, timestamptz) is 'open_groups() for a map: a child for each element of its key.';
revoke all on function tenure_private.open_map(bigint, timestamptz) from public;
