create or replace function tenure_private.check_mounts(p_workflow_id int)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- The elements of a map are the inputs of what it mounts, and what they hold is not known beforehand.
declare
    v_sub tenure_private.workflow;
    v_unknown text;
    r_mount record;
begin
    for r_mount in
        select n.name, n.workflow, n.map_key, n.provides, n.requires || n.optional as supplies
        from tenure_private.node as n
        where n.workflow_id = p_workflow_id and n.workflow is not null
        order by n.node_id
    loop
        v_sub := tenure_private.latest_workflow(r_mount.workflow);
        continue when r_mount.map_key is not null;
        select min(u.key) into strict v_unknown
        from unnest(r_mount.provides) as u (key)
        where u.key <> all(tenure_private.output_keys(v_sub.workflow_id));
        if v_unknown is not null then
            perform tenure_private.refuse(
                'workflow_invalid', 'a mount provides a key that its workflow does not give out',
                format('Node %s, workflow %s, key %s.', r_mount.name, v_sub.name, v_unknown),
                'Add it to the outputs there.'
            );
        end if;
        select min(w.key) into strict v_unknown
        from tenure_private.node as n
        join tenure_private.need as w on w.node_id = n.node_id
        where n.workflow_id = v_sub.workflow_id and w.producer_id is null and not w.optional
            and w.key <> all(r_mount.supplies);
        if v_unknown is not null then
            perform tenure_private.refuse(
                'workflow_invalid', 'a mount does not supply a key that its workflow requires',
                format('Node %s, workflow %s, key %s.', r_mount.name, v_sub.name, v_unknown),
                'Add it to what the mount requires.'
            );
        end if;
    end loop;
end
$function$;
comment on function tenure_private.check_mounts(int) is
'Refuses a version of a workflow that mounts an unknown workflow (TN030), or one that lacks or misses a key (TN031).';
revoke all on function tenure_private.check_mounts(int) from public;
