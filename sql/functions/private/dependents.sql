create or replace function tenure_private.dependents(p_step_ids bigint[])
returns bigint[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- volatile: asked in the middle of a fold, it must see what that has just written.
-- By arrays, as end_overdue(): in one query the planner may read all members of a group, or of a node in all runs.
declare
    v_group_ids bigint [];
    v_attempts int [];
    v_node_ids int [];
    v_step_ids bigint [];
begin
    select array_agg(e.parent_id), array_agg(e.group_attempt), array_agg(w.node_id)
    into strict v_group_ids, v_attempts, v_node_ids
    from tenure_private.step as e
    join tenure_private.need as w on w.producer_id = e.node_id
    where e.step_id = any(p_step_ids) and e.position is null and (e.finished_at is not null or e.reason = 'blocked');
    select coalesce(array_agg(distinct c.step_id order by c.step_id), '{}') into strict v_step_ids
    from unnest(v_group_ids, v_attempts, v_node_ids) as u (group_id, attempt, node_id)
    join tenure_private.member as m on m.group_id = u.group_id and m.attempt = u.attempt and m.node_id = u.node_id
    join tenure_private.step as c on c.step_id = m.step_id and c.state = 'pending';
    return v_step_ids;
end
$function$;
comment on function tenure_private.dependents(bigint[]) is 'The pending siblings that need a key of one of these steps, which are over or blocked.';
revoke all on function tenure_private.dependents(bigint[]) from public;
