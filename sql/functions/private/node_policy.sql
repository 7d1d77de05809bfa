create or replace function tenure_private.node_policy(
    p_node tenure_private.node, p_role text, p_inherited jsonb, p_definition tenure_private.definition
)
returns jsonb
language sql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $function$
select case p_role
    when 'leaf' then
        case when p_node.inherits then p_inherited else '[]' end
        || case when p_node.policy <> '[]' then p_node.policy else tenure_private.definition_policy(p_definition) end
    -- What a mount cuts off, it cuts off for what is inside.
    when 'mount' then p_inherited || p_node.policy
    -- A map's policy wraps each of its elements.
    else '[]'
end;
$function$;
comment on function tenure_private.node_policy(tenure_private.node, text, jsonb, tenure_private.definition) is
'The layers around a child made for a node, outermost first: those inherited, then its own, else those of its definition. p_role: leaf, mount or map.';
revoke all on function tenure_private.node_policy(
    tenure_private.node, text, jsonb, tenure_private.definition
) from public;
