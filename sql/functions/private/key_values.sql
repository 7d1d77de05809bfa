create or replace function tenure_private.key_values(p_group_id bigint, p_attempt int, p_keys text[])
returns jsonb
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- volatile: a fold asks for what it has just published.
declare
    v_input jsonb;
    v_values jsonb;
begin
    select case when jsonb_typeof(s.input) = 'object' then s.input else '{}' end into strict v_input
    from tenure_private.step as s where s.step_id = p_group_id;
    select coalesce(jsonb_object_agg(k.key, k.value), '{}') into strict v_values
    from (
        select u.key, coalesce(p.value, v_input -> u.key) as value
        from unnest(p_keys) as u (key)
        left join tenure_private.published as p on p.group_id = p_group_id and p.attempt = p_attempt and p.key = u.key
    ) as k
    where k.value is not null;
    return v_values;
end
$function$;
comment on function tenure_private.key_values(bigint, int, text[]) is
'An object of those of these keys that are there, in one attempt of a group: published, or in its input.';
revoke all on function tenure_private.key_values(bigint, int, text[]) from public;
