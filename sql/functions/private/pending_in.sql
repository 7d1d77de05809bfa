create or replace function tenure_private.pending_in(p_group_ids bigint[])
returns bigint[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- volatile: asked in the middle of a fold, it must see what that has just written.
-- By arrays of ids, as end_overdue().
declare
    v_member_ids constant bigint [] = array(
        select m.step_id from tenure_private.member as m where m.group_id = any(p_group_ids)
    );
begin
    return array(
        select s.step_id
        from tenure_private.step as s
        where s.step_id = any(v_member_ids) and s.state = 'pending'
        order by s.step_id
    );
end
$function$;
comment on function tenure_private.pending_in(bigint[]) is 'The pending children of these groups.';
revoke all on function tenure_private.pending_in(bigint[]) from public;
