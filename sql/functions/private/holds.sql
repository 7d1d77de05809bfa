create or replace function tenure_private.holds(p_group_id bigint, p_attempt int, p_node tenure_private.node)
returns boolean
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- volatile: as key_values(). What raises even where errors are to be silent: comparing a date with a time zone's, and a
-- value so deep that walking through it takes more stack than there is.
begin
    return coalesce(jsonb_path_match(
        tenure_private.key_values(
            p_group_id, p_attempt, array(select w.key from tenure_private.need as w where w.node_id = p_node.node_id)
        ),
        p_node.condition, '{}', true
    ), false);
exception when data_exception or feature_not_supported or program_limit_exceeded then
    return false;
end
$function$;
comment on function tenure_private.holds(bigint, int, tenure_private.node) is
'Whether the when of a node is true of the keys that are there; null and errors are false.';
revoke all on function tenure_private.holds(bigint, int, tenure_private.node) from public;
