create or replace function tenure_private.leaf_quotas(
    p_node tenure_private.node, p_quota_ids int[], p_definition tenure_private.definition
)
returns int[]
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_own int := p_definition.quota_id;
begin
    -- That of a map is around its elements, among p_quota_ids.
    if p_node.quota is not null and p_node.map_key is null then
        v_own := (tenure_private.find_quota(p_node.quota)).quota_id;
    end if;
    return array(
        select distinct u.quota_id
        from unnest(p_quota_ids || v_own) as u (quota_id)
        where u.quota_id is not null
        order by 1
    );
end
$function$;
comment on function tenure_private.leaf_quotas(tenure_private.node, int[], tenure_private.definition) is
'The quotas of a step made for a node, by id: those of the mounts and maps around it (p_quota_ids), and its own, else that of its definition.';
revoke all on function tenure_private.leaf_quotas(tenure_private.node, int[], tenure_private.definition) from public;
