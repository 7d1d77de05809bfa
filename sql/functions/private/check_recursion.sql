create or replace function tenure_private.check_recursion(p_name text)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- By name, for a run takes the newest version of each. UNION ends the walk even where there is a cycle.
begin
    if exists (
        with recursive latest as (
            select distinct on (w.name) w.name, w.workflow_id
            from tenure_private.workflow as w
            order by w.name, w.version desc
        ),
        mounted (name) as (
            select n.workflow
            from latest as l
            join tenure_private.node as n on n.workflow_id = l.workflow_id and n.workflow is not null
            where l.name = p_name
            union
            select n.workflow
            from mounted as m
            join latest as l on l.name = m.name
            join tenure_private.node as n on n.workflow_id = l.workflow_id and n.workflow is not null
        )
        select from mounted as m where m.name = p_name
    ) then
        perform tenure_private.refuse(
            'workflow_invalid', 'the workflow would mount itself',
            format('Workflow %s, perhaps by way of others.', p_name),
            'Let no workflow mount, by any way, itself.'
        );
    end if;
end
$function$;
comment on function tenure_private.check_recursion(text) is 'Refuses (TN031) a workflow whose newest version mounts itself, by whatever way.';
revoke all on function tenure_private.check_recursion(text) from public;
