create or replace function tenure_private.check_members(p_object jsonb, p_known text[], p_what text)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_unknown text;
begin
    if p_object is null or jsonb_typeof(p_object) <> 'object' then
        perform tenure_private.refuse(
            'argument_invalid', format('%s is no object', p_what),
            format('Given: %s.', coalesce(left(p_object::text, 200), 'NULL')),
            'Give a JSON object.'
        );
    end if;
    select min(m.key) into strict v_unknown from jsonb_object_keys(p_object) as m (key) where m.key <> all(p_known);
    if v_unknown is not null then
        perform tenure_private.refuse(
            'argument_invalid', format('%s has an unknown key', p_what), format('Key %s.', v_unknown),
            format('Known are: %s.', array_to_string(p_known, ', '))
        );
    end if;
end
$function$;
comment on function tenure_private.check_members(jsonb, text[], text) is
'Refuses (TN007) what is no object, or has members other than these.';
revoke all on function tenure_private.check_members(jsonb, text[], text) from public;
