create or replace function tenure_private.reopen_in_tree(
    p_step tenure_private.step, p_extra_attempts int, p_now timestamptz
)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_mergejoin = off
set enable_hashjoin = off
as $function$
-- The caller holds the run exclusively.
declare
    v_above bigint [];
    v_leaves bigint [];
    v_discarded bigint [];
    v_cancelled bigint [];
    v_groups bigint [];
begin
    v_above := tenure_private.discarded_above(p_step);
    with recursive reopened as (
        select s.step_id, s.tree, s.attempt, s.state, s.step_id = p_step.step_id as failed
        from tenure_private.step as s
        where s.step_id = any(v_above || p_step.step_id)
        union
        select c.step_id, c.tree, c.attempt, c.state, c.state = 'discarded'
        from reopened as r
        -- What a plain job has started has no attempt of a group.
        join tenure_private.member as m on m.group_id = r.step_id and m.attempt in (r.attempt, 0)
        join tenure_private.step as c on c.step_id = m.step_id
        where r.tree and (
            (c.state = 'cancelled' and c.reason in ('sibling_discarded', 'group_ended', 'parent_ended'))
            or (c.state = 'discarded' and r.failed)
        )
    )
    select
        coalesce(array_agg(r.step_id order by r.step_id) filter (where g.step_id is null), '{}'),
        coalesce(array_agg(r.step_id) filter (where g.step_id is not null and r.failed), '{}'),
        coalesce(array_agg(r.step_id) filter (where g.step_id is not null and not r.failed), '{}')
    into strict v_leaves, v_discarded, v_cancelled
    from (select distinct on (o.step_id) o.* from reopened as o order by o.step_id, o.failed desc) as r
    left join tenure_private.step_group as g on g.step_id = r.step_id;
    perform from tenure_private.step as s
    where s.step_id = any(v_leaves || v_discarded || v_cancelled) order by s.step_id for no key update;
    perform tenure_private.reopen_leaves(v_leaves, p_extra_attempts, p_now);
    perform tenure_private.reopen_groups(v_discarded, p_extra_attempts, p_now);
    perform tenure_private.reopen_groups(v_cancelled, null, p_now);
    v_groups := v_discarded || v_cancelled || p_step.parent_id
        || array(
            select s.parent_id from tenure_private.step as s where s.step_id = any(v_above) and s.parent_id is not null
        );
    perform tenure_private.recount(v_groups);
    perform tenure_private.set_group_limits(p_step.root_id);
    perform tenure_private.fold_run(
        p_step.root_id,
        tenure_private.advance(tenure_private.pending_in(v_groups), p_now)
        || tenure_private.open_groups(tenure_private.unopened(v_groups), p_now)
        || tenure_private.conclude(tenure_private.settled(v_groups), p_now)
    );
end
$function$;
comment on function tenure_private.reopen_in_tree(tenure_private.step, int, timestamptz) is
'Reopens a discarded step of a tree: below it the children that took it down, above it the groups that it took down, and beside them what was cancelled with it.';
revoke all on function tenure_private.reopen_in_tree(tenure_private.step, int, timestamptz) from public;
