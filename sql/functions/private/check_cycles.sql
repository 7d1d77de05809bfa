create or replace function tenure_private.check_cycles(p_workflow_id int)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- Takes away the nodes that wait for none of the rest, again and again; what is left waits for itself.
declare
    v_left int [];
    v_rest int [];
begin
    select array_agg(n.node_id) into strict v_rest from tenure_private.node as n where n.workflow_id = p_workflow_id;
    loop
        v_left := v_rest;
        select coalesce(array_agg(u.node_id), '{}') into strict v_rest
        from unnest(v_left) as u (node_id)
        where exists (
            select from tenure_private.need as w where w.node_id = u.node_id and w.producer_id = any(v_left)
        );
        exit when cardinality(v_rest) = 0 or cardinality(v_rest) = cardinality(v_left);
    end loop;
    if cardinality(v_rest) > 0 then
        perform tenure_private.refuse(
            'workflow_invalid', 'nodes wait for each other in a cycle',
            (
                select format('On it, or behind it: %s.', string_agg(n.name, ', ' order by n.node_id))
                from tenure_private.node as n
                where n.node_id = any(v_rest)
            ),
            'Let no node require, by any way, what it provides.'
        );
    end if;
end
$function$;
comment on function tenure_private.check_cycles(int) is 'Refuses (TN031) a version of a workflow with a cycle.';
revoke all on function tenure_private.check_cycles(int) from public;
