create or replace function tenure_private.parse_policy(p_policy jsonb)
returns jsonb
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    if jsonb_typeof(p_policy) <> 'array' then
        perform tenure_private.refuse(
            'argument_invalid', 'policy is no array', format('Given: %s.', left(p_policy::text, 200)),
            'Give an array of layers, outermost first, such as [{"timeout": "2 s"}, {"retry": {"attempts": 3}}].'
        );
    end if;
    return (
        select coalesce(jsonb_agg(tenure_private.parse_layer(e.layer) order by e.n), '[]')
        from jsonb_array_elements(p_policy) with ordinality as e (layer, n)
    );
end
$function$;
comment on function tenure_private.parse_policy(jsonb) is
'A policy in its normal form, an array of what parse_layer() returns. Refuses (TN006, TN007) what is no list of timeout and retry layers.';
revoke all on function tenure_private.parse_policy(jsonb) from public;
