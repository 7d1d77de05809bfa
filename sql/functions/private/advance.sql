create or replace function tenure_private.advance(p_step_ids bigint[], p_now timestamptz)
returns bigint[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- A key is there, or will never come (nobody provides it; or who does has ended without it), or is still open. A
-- producer that was discarded counts as ended only where its group goes on; elsewhere its siblings are called off.
declare
    v_missing bigint [];
    v_unwanted bigint [];
    v_leaves bigint [];
    v_groups bigint [];
begin
    with judged as (
        select
            c.step_id, c.parent_id, c.group_attempt, c.tree, n.condition, n.requires || n.optional as keys, k.missing, k.settled
        from tenure_private.step as c
        join tenure_private.step_group as g on g.step_id = c.parent_id and g.ending is null
        join tenure_private.node as n on n.node_id = c.node_id
        cross join lateral tenure_private.key_state(c.parent_id, c.group_attempt, c.node_id, g.on_failure) as k
        where c.step_id = any(p_step_ids) and c.state = 'pending'
    ),
    decided as (
        select
            j.step_id, j.tree, j.missing,
            j.missing or j.condition is null or coalesce(jsonb_path_match(
                tenure_private.key_values(j.parent_id, j.group_attempt, j.keys), j.condition, '{}', true
            ), false) as wanted
        from judged as j
        where j.settled or j.missing
    )
    select
        coalesce(array_agg(d.step_id) filter (where d.missing), '{}'),
        coalesce(array_agg(d.step_id) filter (where not d.wanted), '{}'),
        coalesce(array_agg(d.step_id order by d.step_id) filter (where d.wanted and not d.missing and not d.tree), '{}'),
        coalesce(array_agg(d.step_id order by d.step_id) filter (where d.wanted and not d.missing and d.tree), '{}')
    into strict v_missing, v_unwanted, v_leaves, v_groups
    from decided as d;
    perform tenure_private.pass_over(v_missing, 'missing_key', p_now);
    perform tenure_private.pass_over(v_unwanted, 'when', p_now);
    perform tenure_private.make_available(v_leaves, p_now);
    return v_missing || v_unwanted || tenure_private.open_groups(v_groups, p_now);
end
$function$;
comment on function tenure_private.advance(bigint[], timestamptz) is
'Moves on those of these pending children whose keys are decided: skipped, available or, groups, opened. Returns the steps that ended by it, for their groups to be told.';
revoke all on function tenure_private.advance(bigint[], timestamptz) from public;
