create or replace function tenure_private.check_name(p_value text, p_what text)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    if p_value is null or p_value = '' then
        perform tenure_private.refuse(
            'name_invalid', format('%s must not be null or empty', p_what),
            format('It is %s.', case when p_value is null then 'NULL' else 'an empty string' end),
            format('Give %s as text of 1 to 1000 bytes.', p_what)
        );
    elsif octet_length(p_value) > 1000 then
        perform tenure_private.refuse(
            'name_invalid', format('%s is too long', p_what), format('It has %s bytes.', octet_length(p_value)),
            format('Give %s as text of 1 to 1000 bytes.', p_what)
        );
    end if;
end
$function$;
comment on function tenure_private.check_name(text, text) is
'Refuses (TN005) a name, owner, key or queue that is NULL, empty or over 1000 bytes. Any character is allowed.';
revoke all on function tenure_private.check_name(text, text) from public;
