create or replace function tenure_private.parse_condition(p_text text)
returns jsonpath
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_condition jsonpath;
begin
    v_condition := p_text::jsonpath;
    -- Written out anew, keys and strings emptied, a variable alone has quotes right after its $.
    if regexp_replace(v_condition::text, '"(\\.|[^"\\])*"', '""', 'g') like '%$""%' then
        perform tenure_private.refuse(
            'argument_invalid', 'when has a variable',
            left(p_text, 200), 'Name a key by $.key; nothing else has a value.'
        );
    end if;
    return v_condition;
exception when syntax_error or data_exception or feature_not_supported then
    perform tenure_private.refuse(
        'argument_invalid', 'when is no jsonpath', format('%s: %s', left(p_text, 200), sqlerrm),
        'Write a predicate over the keys, such as $.url starts with "https".'
    );
    return null;
end
$function$;
comment on function tenure_private.parse_condition(text) is 'A when of a node; NULL stays NULL. Refuses (TN007) what is no jsonpath, and variables, for there are none.';
revoke all on function tenure_private.parse_condition(text) from public;
