create or replace function tenure_private.check_mount_units(p_workflow_id int)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- volatile: as latest_workflow().
begin
    perform tenure_private.check_units(q, coalesce(d.quota_units, 1))
    from (
        with recursive reached (workflow_id, quota) as (
            select p_workflow_id, null::text collate "C"
            union
            select (tenure_private.latest_workflow(n.workflow)).workflow_id, u.quota
            from reached as r
            join tenure_private.node as n on n.workflow_id = r.workflow_id and n.workflow is not null
            cross join unnest(array[r.quota, n.quota]) as u (quota)
        )
        select distinct r.quota, n.step
        from reached as r
        join tenure_private.node as n on n.workflow_id = r.workflow_id and n.workflow is null
        where r.quota is not null
    ) as s
    join tenure_private.quota as q on q.name = s.quota
    left join tenure_private.definition as d on d.name = s.step
    order by q.name, s.step;
end
$function$;
comment on function tenure_private.check_mount_units(int) is
'Refuses a workflow that mounts a step under a quota which could never hold its units.';
revoke all on function tenure_private.check_mount_units(int) from public;
