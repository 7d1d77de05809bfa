create or replace function tenure_private.check_workflow(p_definition jsonb)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    perform tenure_private.check_size('definition', tenure_private.document_size(p_definition));
    perform tenure_private.check_members(
        p_definition, array['nodes', 'policy', 'on_failure', 'outputs'], 'the definition'
    );
    if jsonb_typeof(p_definition -> 'nodes') is distinct from 'array' or p_definition -> 'nodes' = '[]' then
        perform tenure_private.refuse(
            'workflow_invalid', 'the workflow has no nodes',
            format('nodes: %s.', coalesce(left((p_definition -> 'nodes')::text, 200), 'not given')),
            'Give an array of nodes such as [{"name": "fetch", "provides": ["page"]}].'
        );
    elsif coalesce(tenure_private.text_member(p_definition, 'on_failure'), 'cancel') not in ('cancel', 'continue') then
        perform tenure_private.refuse(
            'argument_invalid', 'on_failure is unknown',
            format('Given: %s.', left(p_definition ->> 'on_failure', 200)), 'Give cancel or continue.'
        );
    end if;
end
$function$;
comment on function tenure_private.check_workflow(jsonb) is
'Refuses a definition that is malformed (TN007), too large (TN008) or empty (TN031); its nodes are looked at later.';
revoke all on function tenure_private.check_workflow(jsonb) from public;
