create or replace function tenure_private.pending_in(p_group_ids bigint[])
returns bigint[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- volatile: asked in the middle of a fold, it must see what that has just written.
declare
    v_step_ids bigint [];
begin
    select coalesce(array_agg(s.step_id order by s.step_id), '{}') into strict v_step_ids
    from tenure_private.member as m
    join tenure_private.step as s on s.step_id = m.step_id and s.state = 'pending'
    where m.group_id = any(p_group_ids);
    return v_step_ids;
end
$function$;
comment on function tenure_private.pending_in(bigint[]) is 'The pending children of these groups.';
revoke all on function tenure_private.pending_in(bigint[]) from public;
