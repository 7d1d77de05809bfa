create or replace function tenure_private.parse_priority(p_value jsonb)
returns int
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    if p_value is null then
        return null;
    elsif jsonb_typeof(p_value) <> 'number' or p_value::numeric not between -100 and 100
        or p_value::numeric <> trunc(p_value::numeric)
    then
        perform tenure_private.refuse(
            'argument_invalid', 'priority is out of range', format('Given: %s.', left(p_value::text, 200)),
            'Give -100 (first) to 100 (last).'
        );
    end if;
    return p_value::int;
end
$function$;
comment on function tenure_private.parse_priority(jsonb) is 'A priority in JSON; NULL stays NULL. Refuses (TN007) what is none.';
revoke all on function tenure_private.parse_priority(jsonb) from public;
