create or replace function tenure_private.count_ends(p_step_ids bigint[])
returns bigint[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- Children of an attempt that is over, or of a group that has ended, count no more.
declare
    v_group_ids bigint [];
begin
    with over as materialized (
        select
            c.step_id, c.parent_id, c.group_attempt, c.state, c.finished_at, c.error_kind,
            c.node_id is not null or c.position is not null as counts
        from tenure_private.step as c
        where c.step_id = any(p_step_ids) and (c.finished_at is not null or c.reason = 'blocked')
    ),
    told as (
        select
            o.parent_id, count(*) filter (where o.finished_at is not null and o.counts) as ended,
            count(*) filter (where o.state = 'completed') as done,
            array_agg(o.step_id order by o.finished_at, o.step_id) filter (where o.state = 'discarded') as failed_ids,
            min(o.step_id) filter (where o.state = 'discarded' and o.error_kind = 'uncertain') as uncertain_id
        from over as o
        join tenure_private.step as p
            on p.step_id = o.parent_id and p.attempt = o.group_attempt and p.finished_at is null
        group by o.parent_id
    ),
    counted as (
        update tenure_private.step_group as g
        set open = g.open - t.ended,
            done = g.done + t.done,
            uncertain = g.uncertain or exists (
                select
                from tenure_private.step as c
                left join tenure_private.step_group as w on w.step_id = c.step_id
                where c.step_id = any(t.failed_ids) and (c.error_kind = 'uncertain' or w.uncertain)
            ),
            -- An outside commit in doubt keeps its kind, though a limit has passed at the same time.
            error_kind = case
                when g.ending = 'group_ended' then coalesce(u.error_kind, g.error_kind)
                else coalesce(g.error_kind, f.error_kind)
            end,
            error = case
                when g.ending = 'group_ended' then coalesce(u.error, g.error)
                when g.error_kind is null then f.error
                else g.error
            end,
            ending = case
                when f.step_id is not null and g.on_failure = 'cancel' then coalesce(g.ending, 'sibling_discarded')
                else g.ending
            end
        from told as t
        left join tenure_private.step as f on f.step_id = t.failed_ids[1]
        left join tenure_private.step as u on u.step_id = t.uncertain_id
        where g.step_id = t.parent_id
        returning g.step_id
    )
    select array_agg(c.step_id) into strict v_group_ids from counted as c;
    -- Besides, groups that a fold could not end: it left them to be looked at again.
    return coalesce(v_group_ids, '{}') || array(
        select g.step_id
        from tenure_private.step_group as g
        join tenure_private.step as s on s.step_id = g.step_id and s.finished_at is null
        where g.step_id = any(p_step_ids) and g.ending is not null and g.step_id <> all(coalesce(v_group_ids, '{}'))
    );
end
$function$;
comment on function tenure_private.count_ends(bigint[]) is
'Counts children that are over in their groups, keeps the first error, and says of groups that a discarded child ends that they are ending. Returns the groups that may have more to do now.';
revoke all on function tenure_private.count_ends(bigint[]) from public;
