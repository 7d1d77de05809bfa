create or replace function tenure_private.check_headers(p_headers jsonb)
returns void
language plpgsql volatile parallel unsafe strict
set search_path = pg_catalog, pg_temp
as $function$
begin
    if jsonb_typeof(p_headers) <> 'object' then
        perform tenure_private.refuse(
            'argument_invalid', 'headers is no object',
            format('Given: %s.', jsonb_typeof(p_headers)), 'Give a JSON object.'
        );
    end if;
    perform tenure_private.check_size('headers', tenure_private.document_size(p_headers));
end
$function$;
comment on function tenure_private.check_headers(jsonb) is 'Refuses headers that are no object (TN007) or too large (TN008).';
revoke all on function tenure_private.check_headers(jsonb) from public;
