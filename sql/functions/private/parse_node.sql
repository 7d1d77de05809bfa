create or replace function tenure_private.parse_node(p_node jsonb)
returns tenure_private.node
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_node tenure_private.node;
begin
    perform tenure_private.check_members(
        p_node,
        array[
            'name', 'step', 'workflow', 'map', 'requires', 'optional', 'provides', 'policy', 'inherit', 'queue',
            'priority', 'quota', 'when'
        ],
        'a node'
    );
    v_node.name := tenure_private.text_member(p_node, 'name');
    perform tenure_private.check_name(v_node.name, 'name');
    v_node.step := coalesce(tenure_private.text_member(p_node, 'step'), v_node.name);
    v_node.workflow := tenure_private.text_member(p_node, 'workflow');
    v_node.map_key := tenure_private.text_member(p_node, 'map');
    v_node.requires := coalesce(tenure_private.names_member(p_node, 'requires'), '{}');
    v_node.optional := coalesce(tenure_private.names_member(p_node, 'optional'), '{}');
    v_node.provides := coalesce(tenure_private.names_member(p_node, 'provides'), '{}');
    v_node.policy := tenure_private.parse_policy(coalesce(nullif(p_node -> 'policy', 'null'), '[]'));
    v_node.queue := tenure_private.text_member(p_node, 'queue');
    v_node.quota := tenure_private.text_member(p_node, 'quota');
    v_node.priority := tenure_private.parse_priority(nullif(p_node -> 'priority', 'null'));
    v_node.condition := tenure_private.parse_condition(tenure_private.text_member(p_node, 'when'));
    v_node.inherits := coalesce(nullif(p_node -> 'inherit', 'null'), 'true') <> 'false';
    if v_node.queue is not null then
        perform tenure_private.check_queue((tenure_private.find_queue(v_node.queue)).queue_id, v_node.queue);
    end if;
    if v_node.quota is not null then
        perform tenure_private.check_units(tenure_private.find_quota(v_node.quota), coalesce(
            (
                select d.quota_units from tenure_private.definition as d
                where d.name = v_node.step and v_node.workflow is null
            ), 1
        ));
    end if;
    perform tenure_private.check_node(v_node, p_node);
    return v_node;
end
$function$;
comment on function tenure_private.parse_node(jsonb) is
'A node of a definition as a row without its ids. Refuses what is malformed, an unknown queue (TN003), one that is not the caller''s (TN018), an unknown quota (TN015) and units that it will never have (TN007).';
revoke all on function tenure_private.parse_node(jsonb) from public;
