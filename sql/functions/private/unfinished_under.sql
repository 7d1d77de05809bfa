create or replace function tenure_private.unfinished_under(p_group_id bigint)
returns bigint[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- volatile: asked in the middle of a fold, it must see what that has just written.
-- By arrays of ids, as end_overdue(): level by level.
declare
    v_level bigint [] := array[p_group_id];
    v_under bigint [] := array[]::bigint [];
    v_member_ids bigint [];
begin
    loop
        v_member_ids := array(select m.step_id from tenure_private.member as m where m.group_id = any(v_level));
        v_level := array(
            select s.step_id
            from tenure_private.step as s
            where s.step_id = any(v_member_ids) and s.finished_at is null
        );
        exit when v_level = '{}';
        v_under := v_under || v_level;
    end loop;
    return array(select u.step_id from unnest(v_under) as u (step_id) order by u.step_id);
end
$function$;
comment on function tenure_private.unfinished_under(bigint) is 'The unfinished steps below a group, at any depth, in order of id.';
revoke all on function tenure_private.unfinished_under(bigint) from public;
