create or replace function tenure_private.node_settings(
    p_node tenure_private.node, p_role text, p_inherited jsonb, p_queue text, p_priority int
)
returns tenure_private.settings
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_default tenure_private.definition;
    v_settings tenure_private.settings;
begin
    if p_role = 'leaf' then
        select d.* into v_default from tenure_private.definition as d where d.name = p_node.step;
    end if;
    v_settings := tenure_private.resolve(
        case p_role when 'leaf' then p_node.step else p_node.name end,
        coalesce(p_node.queue, v_default.queue, p_queue), coalesce(p_node.priority, v_default.priority, p_priority), null,
        null, case when p_role <> 'leaf' then 1 end, null, null, null, null, null, null
    );
    return v_settings;
end
$function$;
comment on function tenure_private.node_settings(tenure_private.node, text, jsonb, text, int) is
'The policy of a child made for a node. p_role: leaf, mount or map (the group, whose elements are leaves or mounts); p_inherited: the layers around it; p_queue, p_priority: those of its group, where neither node nor definition says any.';
revoke all on function tenure_private.node_settings(tenure_private.node, text, jsonb, text, int) from public;
