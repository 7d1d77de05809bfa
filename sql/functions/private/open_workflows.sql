create or replace function tenure_private.open_workflows(
    p_group_ids bigint[],
    p_workflow_id int,
    p_inherited jsonb,
    p_quota_ids int[],
    p_queue text,
    p_priority int,
    p_now timestamptz
)
returns bigint[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_node tenure_private.node;
    v_role text;
    v_children bigint [] := array[]::bigint [];
    v_count int := 0;
begin
    for v_node in select n.* from tenure_private.node as n where n.workflow_id = p_workflow_id order by n.node_id loop
        v_role := case
            when v_node.map_key is not null then 'map'
            when v_node.workflow is not null then 'mount'
            else 'leaf'
        end;
        v_children := v_children || tenure_private.insert_children(
            p_group_ids, null, null, v_node, v_role,
            tenure_private.node_settings(v_node, v_role, p_inherited, p_quota_ids, p_queue, p_priority), p_now
        );
        v_count := v_count + 1;
    end loop;
    update tenure_private.step_group as g set open = v_count where g.step_id = any(p_group_ids);
    return tenure_private.advance(v_children, p_now);
end
$function$;
comment on function tenure_private.open_workflows(bigint[], int, jsonb, int[], text, int, timestamptz) is
'open_groups() for runs or mounts of one workflow under the same policy.';
revoke all on function tenure_private.open_workflows(bigint[], int, jsonb, int[], text, int, timestamptz) from public;
