create or replace function tenure_private.claimed_keys(p_step_id bigint)
returns jsonb
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- An element of a map lives among the keys of the group around its map, and has its element as its input.
-- volatile: as key_values().
declare
    v_keys jsonb;
begin
    select tenure_private.key_values(
        case when s.position is null then s.parent_id else m.parent_id end,
        case when s.position is null then s.group_attempt else m.group_attempt end,
        array(
            select w.key from tenure_private.need as w
            where w.node_id = s.node_id and w.key is distinct from n.map_key
        )
    )
    into strict v_keys
    from tenure_private.step as s
    join tenure_private.node as n on n.node_id = s.node_id
    join tenure_private.step as m on m.step_id = s.parent_id
    where s.step_id = p_step_id;
    return v_keys;
end
$function$;
comment on function tenure_private.claimed_keys(bigint) is
'The required and optional keys of a node''s step that are there, as claimed.keys shows them.';
revoke all on function tenure_private.claimed_keys(bigint) from public;
