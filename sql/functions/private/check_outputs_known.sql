create or replace function tenure_private.check_outputs_known(p_workflow_id int)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- Inputs are not declared: whatever a node needs and none provides can be one.
declare
    v_unknown text;
begin
    select min(u.key) into strict v_unknown
    from tenure_private.workflow as w
    cross join unnest(w.outputs) as u (key)
    where w.workflow_id = p_workflow_id
        and not exists (
            select
            from tenure_private.node as n
            where n.workflow_id = w.workflow_id
                and (u.key = any(n.provides) or exists (
                    select from tenure_private.need as d where d.node_id = n.node_id and d.key = u.key
                ))
        );
    if v_unknown is not null then
        perform tenure_private.refuse(
            'workflow_invalid', 'outputs has an unknown key', format('Key %s.', v_unknown),
            'Name keys that a node provides or needs.'
        );
    end if;
end
$function$;
comment on function tenure_private.check_outputs_known(int) is 'Refuses (TN031) a version of a workflow that gives out a key of which none of its nodes knows.';
revoke all on function tenure_private.check_outputs_known(int) from public;
