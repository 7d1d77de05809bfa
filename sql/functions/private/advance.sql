create or replace function tenure_private.advance(p_step_ids bigint[], p_now timestamptz)
returns bigint[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_mergejoin = off
set enable_hashjoin = off
as $function$
-- What is missing is known before all is settled; a when is judged once, when all is. A group whose next attempt is
-- not due yet is looked at again then; one that is late already is left to its alarm, so that it is not opened first.
declare
    v_missing bigint [];
    v_blocked bigint [];
    v_oversized bigint [];
    v_unwanted bigint [];
    v_leaves bigint [];
    v_groups bigint [];
begin
    with judged as (
        select
            c.step_id, c.tree,
            case
                when k.missing then 'missing'
                when k.blocked then 'blocked'
                when not k.settled then 'open'
                when c.tree and c.due_at > p_now then 'later'
                when tenure_private.too_large(tenure_private.keys_size(
                    c.parent_id, c.group_attempt,
                    array(select w.key from tenure_private.need as w where w.node_id = c.node_id)
                )) then 'oversized'
                when n.condition is not null and not tenure_private.holds(c.parent_id, c.group_attempt, n)
                    then 'unwanted'
                when c.tree and c.deadline_at <= p_now then 'later'
                else 'wanted'
            end as verdict
        from tenure_private.step as c
        join tenure_private.step_group as g on g.step_id = c.parent_id and g.ending is null
        join tenure_private.node as n on n.node_id = c.node_id
        cross join lateral tenure_private.key_state(c.parent_id, c.group_attempt, c.node_id) as k
        where c.step_id = any(p_step_ids) and c.state = 'pending' and c.reason is null
    )
    select
        coalesce(array_agg(j.step_id) filter (where j.verdict = 'missing'), '{}'),
        coalesce(array_agg(j.step_id) filter (where j.verdict = 'blocked'), '{}'),
        coalesce(array_agg(j.step_id) filter (where j.verdict = 'oversized'), '{}'),
        coalesce(array_agg(j.step_id) filter (where j.verdict = 'unwanted'), '{}'),
        coalesce(array_agg(j.step_id order by j.step_id) filter (where j.verdict = 'wanted' and not j.tree), '{}'),
        coalesce(array_agg(j.step_id order by j.step_id) filter (where j.verdict = 'wanted' and j.tree), '{}')
    into strict v_missing, v_blocked, v_oversized, v_unwanted, v_leaves, v_groups
    from judged as j;
    perform tenure_private.pass_over(v_missing, 'missing_key', p_now);
    perform tenure_private.pass_over(v_unwanted, 'when', p_now);
    perform tenure_private.refuse_keys(v_oversized, p_now);
    update tenure_private.step as s set reason = 'blocked' where s.step_id = any(v_blocked);
    perform tenure_private.make_available(v_leaves, p_now);
    return v_missing || v_blocked || v_oversized || v_unwanted || tenure_private.open_groups(v_groups, p_now);
end
$function$;
comment on function tenure_private.advance(bigint[], timestamptz) is
'Moves on those of these pending children whose keys are decided: skipped, available or, groups, opened. Returns the steps that ended or were blocked by it, for their groups to be told.';
revoke all on function tenure_private.advance(bigint[], timestamptz) from public;
