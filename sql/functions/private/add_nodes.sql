create or replace function tenure_private.add_nodes(p_workflow_id int, p_nodes jsonb)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_node tenure_private.node;
    r_node record;
begin
    for r_node in select e.node from jsonb_array_elements(p_nodes) with ordinality as e (node, n) order by e.n loop
        v_node := tenure_private.parse_node(r_node.node);
        insert into tenure_private.node (
            workflow_id, name, step, workflow, map_key, requires, optional, provides, policy, inherits, queue, priority,
            quota, condition
        )
        values (
            p_workflow_id, v_node.name, v_node.step, v_node.workflow, v_node.map_key, v_node.requires, v_node.optional,
            v_node.provides, v_node.policy, v_node.inherits, v_node.queue, v_node.priority, v_node.quota,
            v_node.condition
        )
        on conflict on constraint node_workflow_id_key do nothing;
        if not found then
            perform tenure_private.refuse(
                'workflow_invalid', 'two nodes have one name',
                format('Node %s.', v_node.name), 'Give each a name of its own.'
            );
        end if;
    end loop;
    perform tenure_private.check_producers(p_workflow_id);
    insert into tenure_private.need (node_id, key, optional, producer_id)
    select n.node_id, k.key, k.optional, p.node_id
    from tenure_private.node as n
    cross join lateral (
        select u.key, false as optional from unnest(n.requires) as u (key)
        union
        select n.map_key, false where n.map_key is not null
        union
        select u.key, true from unnest(n.optional) as u (key)
    ) as k
    left join tenure_private.node as p on p.workflow_id = n.workflow_id and k.key = any(p.provides)
    where n.workflow_id = p_workflow_id;
end
$function$;
comment on function tenure_private.add_nodes(int, jsonb) is
'Writes the nodes of a new version of a workflow, and what each needs of which. Refuses malformed nodes, a name twice and a key with two producers.';
revoke all on function tenure_private.add_nodes(int, jsonb) from public;
