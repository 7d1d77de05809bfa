create or replace function tenure_private.keys_size(p_group_id bigint, p_attempt int, p_keys text[])
returns bigint
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- volatile: as key_values().
declare
    v_bytes bigint;
begin
    select sum(tenure_private.document_size(coalesce(p.value, s.input -> u.key))) into strict v_bytes
    from tenure_private.step as s
    cross join unnest(p_keys) as u (key)
    left join tenure_private.published as p on p.group_id = p_group_id and p.attempt = p_attempt and p.key = u.key
    where s.step_id = p_group_id;
    return coalesce(v_bytes, 0);
end
$function$;
comment on function tenure_private.keys_size(bigint, int, text[]) is
'How many bytes the values of these keys take together, in one attempt of a group.';
revoke all on function tenure_private.keys_size(bigint, int, text[]) from public;
