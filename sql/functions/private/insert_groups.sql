create or replace function tenure_private.insert_groups(
    p_step_ids bigint[], p_parent_ids bigint[], p_node tenure_private.node, p_role text
)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- What a mount mounts was settled when the run began. A map hands on what wraps it; a mount adds what its workflow
-- puts around each node, and leaves out what wraps itself where it says so.
begin
    insert into tenure_private.step_group (
        step_id, workflow_id, maps, on_failure, inherited, quota_ids, open, done, doomed, final, uncertain
    )
    select
        u.step_id, w.workflow_id, p_role = 'map', coalesce(w.on_failure, p.on_failure),
        case when p_role = 'map' or p_node.inherits then p.inherited else '[]' end || coalesce(w.policy, '[]'),
        q.quota_ids, 0, 0, false, false, false
    from unnest(p_step_ids, p_parent_ids) as u (step_id, parent_id)
    join tenure_private.step_group as p on p.step_id = u.parent_id
    join tenure_private.step as s on s.step_id = u.step_id
    join tenure_private.step_group as r on r.step_id = s.root_id
    cross join lateral (
        select array(
            select i.quota_id from unnest(p.quota_ids) as i (quota_id)
            union
            select i.quota_id from tenure_private.quota as i where i.name = p_node.quota
            order by 1
        ) as quota_ids
    ) as q
    left join tenure_private.workflow as w
        on p_role = 'mount' and w.workflow_id = (r.mounts ->> p_node.workflow)::int;
end
$function$;
comment on function tenure_private.insert_groups(bigint[], bigint[], tenure_private.node, text) is
'Makes these new children of a node groups: mounts or maps.';
revoke all on function tenure_private.insert_groups(bigint[], bigint[], tenure_private.node, text) from public;
