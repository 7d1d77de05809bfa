create or replace function tenure_private.publish_group(
    p_step tenure_private.step, p_group tenure_private.step_group, p_output jsonb
)
returns boolean
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- A mount gives on, by name, those of its workflow's outputs that it provides. An element of a map publishes nothing:
-- its map gathers.
declare
    v_node tenure_private.node;
    v_values jsonb;
begin
    if p_step.node_id is null or p_step.position is not null then
        return true;
    end if;
    select n.* into strict v_node from tenure_private.node as n where n.node_id = p_step.node_id;
    if not p_group.maps then
        select coalesce(jsonb_object_agg(o.key, o.value), '{}') into strict v_values
        from jsonb_each(p_output) as o where o.key = any(v_node.provides);
    elsif v_node.provides <> '{}' then
        v_values := jsonb_build_object(v_node.provides[1], p_output);
    end if;
    if v_values is null then
        return true;
    end if;
    return tenure_private.publish_keys(p_step, v_values);
end
$function$;
comment on function tenure_private.publish_group(tenure_private.step, tenure_private.step_group, jsonb) is
'Publishes the keys of a mount or map whose children have ended. False: a key is there already, and nothing was published.';
revoke all on function tenure_private.publish_group(tenure_private.step, tenure_private.step_group, jsonb) from public;
