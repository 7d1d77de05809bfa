create or replace function tenure_private.check_node(p_node tenure_private.node, p_given jsonb)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_problem text;
begin
    v_problem := case
        when jsonb_typeof(nullif(p_given -> 'inherit', 'null')) <> 'boolean' then 'inherit is neither true nor false.'
        when p_node.workflow is not null and p_given ? 'step' then 'It has a step and a workflow.'
        when p_node.requires && p_node.optional then 'A key is required and optional.'
        when p_node.map_key = any(p_node.optional) then 'The key of its map is optional.'
        when p_node.map_key is not null and cardinality(p_node.provides) > 1 then
            'It is a map and provides more than one key.'
    end;
    if v_problem is not null then
        perform tenure_private.refuse(
            'workflow_invalid', 'a node contradicts itself', format('Node %s. %s', p_node.name, v_problem),
            'See the workflows page for what a node may say.'
        );
    end if;
end
$function$;
comment on function tenure_private.check_node(tenure_private.node, jsonb) is
'Refuses (TN031) a node whose members do not go together; p_given: as it was written.';
revoke all on function tenure_private.check_node(tenure_private.node, jsonb) from public;
