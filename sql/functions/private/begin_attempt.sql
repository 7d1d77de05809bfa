create or replace function tenure_private.begin_attempt(p_group_ids bigint[], p_now timestamptz)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- A mount's input is what it needs of the keys around it. An element of a map has its own.
begin
    update tenure_private.step as s
    set state = 'waiting_steps',
        scheduled_at = d.due_at,
        due_at = null,
        started_at = d.due_at,
        input = case
            when n.workflow is not null and n.map_key is null
                then tenure_private.key_values(s.parent_id, s.group_attempt, n.requires || n.optional)
            else s.input
        end,
        alarm_at = tenure_private.next_alarm(
            p_now, 'waiting_steps', null, null, d.due_at, s.timeout, null, null, s.deadline_at, null, null
        )
    from tenure_private.step as o
    left join tenure_private.step as p on p.step_id = o.parent_id
    left join tenure_private.node as n on n.node_id = o.node_id
    cross join lateral (
        select greatest(p_now, case when o.parent_id is null then o.scheduled_at else p.scheduled_at end) as due_at
    ) as d
    where s.step_id = any(p_group_ids) and o.step_id = s.step_id;
    update tenure_private.step_group as g
    set open = 0, done = 0, ending = null, doomed = false, uncertain = false, error_kind = null, error = null
    where g.step_id = any(p_group_ids);
end
$function$;
comment on function tenure_private.begin_attempt(bigint[], timestamptz) is
'Makes groups wait for the children of a new attempt, which the caller then makes.';
revoke all on function tenure_private.begin_attempt(bigint[], timestamptz) from public;
