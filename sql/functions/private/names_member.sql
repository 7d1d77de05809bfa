create or replace function tenure_private.names_member(p_object jsonb, p_member text)
returns text[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_value constant jsonb = nullif(p_object -> p_member, 'null');
    v_names text [];
begin
    if v_value is null then
        return null;
    elsif jsonb_typeof(v_value) <> 'array'
        or exists (select from jsonb_array_elements(v_value) as e (item) where jsonb_typeof(e.item) <> 'string')
    then
        perform tenure_private.refuse(
            'argument_invalid', format('%s is no array of names', p_member),
            format('Given: %s.', left(v_value::text, 200)),
            'Give a JSON array of strings.'
        );
    end if;
    select coalesce(array_agg(e.name order by e.n), '{}') into strict v_names
    from jsonb_array_elements_text(v_value) with ordinality as e (name, n);
    perform tenure_private.check_name(u.name, p_member) from unnest(v_names) as u (name);
    if cardinality(v_names) > (select count(distinct u.name) from unnest(v_names) as u (name)) then
        perform tenure_private.refuse(
            'argument_invalid', format('%s has a name twice', p_member),
            format('Given: %s.', left(v_value::text, 200)), 'Give each once.'
        );
    end if;
    return v_names;
end
$function$;
comment on function tenure_private.names_member(jsonb, text) is
'A member that is an array of names, each once; NULL where it is not given. Refuses the rest (TN005, TN007).';
revoke all on function tenure_private.names_member(jsonb, text) from public;
