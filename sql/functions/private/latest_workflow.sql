create or replace function tenure_private.latest_workflow(p_name text)
returns tenure_private.workflow
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- volatile: define_workflow() asks for what it has just written.
declare
    v_workflow tenure_private.workflow;
begin
    perform tenure_private.check_name(p_name, 'workflow');
    select w.* into v_workflow from tenure_private.workflow as w where w.name = p_name order by w.version desc limit 1;
    if v_workflow.workflow_id is null then
        perform tenure_private.refuse(
            'workflow_unknown', 'there is no such workflow', format('Workflow %s.', p_name),
            'Define it first: select tenure.define_workflow(name, definition).'
        );
    end if;
    return v_workflow;
end
$function$;
comment on function tenure_private.latest_workflow(text) is 'The newest version of a workflow; refuses (TN030) an unknown one.';
revoke all on function tenure_private.latest_workflow(text) from public;
