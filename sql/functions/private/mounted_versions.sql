create or replace function tenure_private.mounted_versions(p_workflow_id int)
returns jsonb
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- volatile: a workflow may have been defined in this very statement.
declare
    v_mounts jsonb;
begin
    with recursive mounted (name, workflow_id) as (
        select n.workflow, (tenure_private.latest_workflow(n.workflow)).workflow_id
        from tenure_private.node as n
        where n.workflow_id = p_workflow_id and n.workflow is not null
        union
        select n.workflow, (tenure_private.latest_workflow(n.workflow)).workflow_id
        from mounted as m
        join tenure_private.node as n on n.workflow_id = m.workflow_id and n.workflow is not null
    )
    select jsonb_object_agg(m.name, m.workflow_id) into strict v_mounts from mounted as m;
    return v_mounts;
end
$function$;
comment on function tenure_private.mounted_versions(int) is
'The newest version of each workflow that this one mounts, by whatever way, by name; NULL: none.';
revoke all on function tenure_private.mounted_versions(int) from public;
