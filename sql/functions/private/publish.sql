create or replace function tenure_private.publish(p_step tenure_private.step, p_output jsonb, p_completes boolean)
returns boolean
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_node tenure_private.node;
    v_values jsonb;
begin
    if p_step.node_id is null or p_step.position is not null then
        return true;
    end if;
    select n.* into strict v_node from tenure_private.node as n where n.node_id = p_step.node_id;
    select jsonb_object_agg(s.key, s.value) into strict v_values
    from tenure_private.staged as s where s.step_id = p_step.step_id;
    if v_values is null and p_completes and cardinality(v_node.provides) = 1 then
        v_values := jsonb_build_object(v_node.provides[1], p_output);
    end if;
    if v_values is null then
        return true;
    end if;
    return tenure_private.publish_keys(p_step, v_values);
end
$function$;
comment on function tenure_private.publish(tenure_private.step, jsonb, boolean) is
'Publishes what a leaf has staged or, if it completes and staged nothing, its output under its one provided key. False: a key is there already, and nothing was published.';
revoke all on function tenure_private.publish(tenure_private.step, jsonb, boolean) from public;
