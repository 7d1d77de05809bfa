create or replace function tenure_private.check_input(p_input jsonb)
returns void
language plpgsql volatile parallel unsafe strict
set search_path = pg_catalog, pg_temp
as $function$
begin
    if jsonb_typeof(p_input) <> 'object' then
        perform tenure_private.refuse(
            'argument_invalid', 'the input of a workflow is no object', format('Given: %s.', jsonb_typeof(p_input)),
            'Give a JSON object: its members are the first keys.'
        );
    end if;
    perform tenure_private.check_size('input', tenure_private.document_size(p_input));
end
$function$;
comment on function tenure_private.check_input(jsonb) is 'Refuses an input of a workflow that is no object (TN007) or too large (TN008).';
revoke all on function tenure_private.check_input(jsonb) from public;
