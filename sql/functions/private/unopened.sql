create or replace function tenure_private.unopened(p_group_ids bigint[])
returns bigint[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- volatile: asked in the middle of a fold, it must see what that has just written.
declare
    v_group_ids bigint [];
begin
    select coalesce(array_agg(s.step_id order by s.step_id), '{}') into strict v_group_ids
    from tenure_private.step as s
    where s.step_id = any(p_group_ids) and s.state = 'pending' and (s.node_id is null or s.position is not null);
    return v_group_ids;
end
$function$;
comment on function tenure_private.unopened(bigint[]) is
'Those of these groups that have no children and no keys to wait for: runs, and elements of maps.';
revoke all on function tenure_private.unopened(bigint[]) from public;
