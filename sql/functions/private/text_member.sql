create or replace function tenure_private.text_member(p_object jsonb, p_member text)
returns text
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_value constant jsonb = nullif(p_object -> p_member, 'null');
begin
    if jsonb_typeof(v_value) <> 'string' then
        perform tenure_private.refuse(
            'argument_invalid', format('%s is no text', p_member),
            format('Given: %s.', left(v_value::text, 200)), 'Give a JSON string.'
        );
    elsif v_value is not null then
        perform tenure_private.check_name(v_value #>> '{}', p_member);
    end if;
    return v_value #>> '{}';
end
$function$;
comment on function tenure_private.text_member(jsonb, text) is
'A member that is a name; NULL where it is not given. Refuses other types (TN007) and bad names (TN005).';
revoke all on function tenure_private.text_member(jsonb, text) from public;
