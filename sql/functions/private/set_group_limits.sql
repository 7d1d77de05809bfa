create or replace function tenure_private.set_group_limits(p_run_id bigint)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_mergejoin = off
set enable_hashjoin = off
as $function$
-- By arrays of ids, as end_overdue(): level by level.
-- Locks: what it changes, tried. Callers who made clocks begin anew have locked it all.
declare
    v_level bigint [] := array[p_run_id];
    v_member_ids bigint [];
begin
    loop
        v_member_ids := array(
            select m.step_id
            from tenure_private.step as g
            join tenure_private.member as m on m.group_id = g.step_id and m.attempt = g.attempt
            where g.step_id = any(v_level)
        );
        exit when v_member_ids = '{}';
        update tenure_private.step as s
        set group_limit_at = l.at
        from (
            select c.step_id, tenure_private.limit_below(g) as at
            from tenure_private.step as c
            join tenure_private.step as g on g.step_id = c.parent_id
            where c.step_id = any(v_member_ids) and c.finished_at is null
                and c.group_limit_at is distinct from tenure_private.limit_below(g)
            order by c.step_id
            for no key update of c skip locked
        ) as l
        where s.step_id = l.step_id;
        v_level := array(
            select s.step_id from tenure_private.step as s where s.step_id = any(v_member_ids) and s.tree
        );
    end loop;
end
$function$;
comment on function tenure_private.set_group_limits(bigint) is
'Sets anew what the limits of the groups of a run mean for the unfinished children in them.';
revoke all on function tenure_private.set_group_limits(bigint) from public;
