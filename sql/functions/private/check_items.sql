create or replace function tenure_private.check_items(p_items jsonb)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_problem text;
begin
    if p_items is null or jsonb_typeof(p_items) <> 'array' then
        v_problem := 'It is no array.';
    else
        select format('Element %s is no object.', i.n - 1) into v_problem
        from jsonb_array_elements(p_items) with ordinality as i (item, n)
        where jsonb_typeof(i.item) <> 'object'
        limit 1;
    end if;
    if v_problem is not null then
        perform tenure_private.refuse(
            'argument_invalid', 'steps is malformed',
            v_problem, 'Give an array of objects such as {"name": "mail", "input": {}}.'
        );
    end if;
end
$function$;
comment on function tenure_private.check_items(jsonb) is 'Refuses (TN007) what is no array of objects.';
revoke all on function tenure_private.check_items(jsonb) from public;
