create or replace function tenure_private.check_producers(p_workflow_id int)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    r_twice record;
begin
    for r_twice in
        select k.key, string_agg(n.name, ', ' order by n.node_id) as names
        from tenure_private.node as n
        cross join unnest(n.provides) as k (key)
        where n.workflow_id = p_workflow_id
        group by k.key
        having count(*) > 1
        order by k.key
        limit 1
    loop
        perform tenure_private.refuse(
            'workflow_invalid', 'a key has two producers', format('Key %s: nodes %s.', r_twice.key, r_twice.names),
            'Let one node provide it.'
        );
    end loop;
end
$function$;
comment on function tenure_private.check_producers(int) is 'Refuses (TN031) a version of a workflow in which two nodes provide one key.';
revoke all on function tenure_private.check_producers(int) from public;
