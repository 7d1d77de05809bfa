create or replace function tenure_private.count_ends(p_step_ids bigint[])
returns bigint[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- Children of an attempt that is over, or of a group that has ended, count no more.
declare
    v_group_ids bigint [];
begin
    with told as (
        select
            s.parent_id, count(*) filter (where s.node_id is not null or s.position is not null) as ended,
            count(*) filter (where s.state = 'completed') as done,
            min(s.step_id) filter (where s.state = 'discarded' and f.first) as failed_id
        from (
            select c.*, p.attempt as present from tenure_private.step as c
            join tenure_private.step as p on p.step_id = c.parent_id and p.finished_at is null
            where c.step_id = any(p_step_ids) and c.finished_at is not null
        ) as s
        cross join lateral (
            select not exists (
                select from tenure_private.step as o
                where o.step_id = any(p_step_ids) and o.parent_id = s.parent_id and o.state = 'discarded'
                    and o.finished_at < s.finished_at
            ) as first
        ) as f
        where s.group_attempt = s.present
        group by s.parent_id
    ),
    counted as (
        update tenure_private.step_group as g
        set open = g.open - t.ended,
            done = g.done + t.done,
            error_kind = coalesce(g.error_kind, f.error_kind),
            error = case when g.error_kind is null then f.error else g.error end,
            final = g.final or coalesce(f.error_kind = 'uncertain', false),
            ending = case
                when f.step_id is not null and g.on_failure = 'cancel' then coalesce(g.ending, 'sibling_discarded')
                else g.ending
            end
        from told as t
        left join tenure_private.step as f on f.step_id = t.failed_id
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
'Counts ended children in their groups, keeps the first error, and says of groups that a discarded child ends that they are ending. Returns the groups that may have more to do now.';
revoke all on function tenure_private.count_ends(bigint[]) from public;
