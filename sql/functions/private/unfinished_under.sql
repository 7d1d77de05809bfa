create or replace function tenure_private.unfinished_under(p_group_id bigint)
returns bigint[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- volatile: asked in the middle of a fold, it must see what that has just written.
declare
    v_step_ids bigint [];
begin
    with recursive under as (
        select s.step_id, s.tree
        from tenure_private.member as m
        join tenure_private.step as s on s.step_id = m.step_id and s.finished_at is null
        where m.group_id = p_group_id
        union all
        select s.step_id, s.tree
        from under as u
        join tenure_private.member as m on m.group_id = u.step_id
        join tenure_private.step as s on s.step_id = m.step_id and s.finished_at is null
        where u.tree
    )
    select coalesce(array_agg(u.step_id order by u.step_id), '{}') into strict v_step_ids from under as u;
    return v_step_ids;
end
$function$;
comment on function tenure_private.unfinished_under(bigint) is 'The unfinished steps below a group, at any depth, in order of id.';
revoke all on function tenure_private.unfinished_under(bigint) from public;
