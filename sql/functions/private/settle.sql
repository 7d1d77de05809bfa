create or replace function tenure_private.settle(
    p_step_ids bigint[], p_owner text, p_generations bigint[], p_outputs jsonb[], p_ask tenure_private.ask
)
returns setof tenure.verdict
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- Locks: the runs of children shared, in order of run; then the steps by id. Only then is the clock read.
-- Completions in time are decided for the whole batch at once; whatever else there is, one by one.
declare
    v_now timestamptz;
    v_done bigint [];
    v_outputs jsonb [];
    v_rest bigint [];
    v_rest_generations bigint [];
    v_step tenure_private.step;
    v_ended bigint [] := array[]::bigint [];
    v_publishes boolean := false;
    v_trees boolean;
    v_children boolean;
    v_hidden_ids bigint [];
begin
    if exists (select from tenure_private.queue_grant as g) then
        v_hidden_ids := tenure_private.hidden_steps(p_step_ids);
    end if;
    if v_hidden_ids <> '{}' then
        return query
        select v.step_id, v.verdict
        from tenure_private.settle_shown(p_step_ids, p_owner, p_generations, p_outputs, p_ask, v_hidden_ids) as v;
        return;
    end if;
    v_children := tenure_private.lock_run_shared(p_step_ids);
    if v_children then
        select exists (
            select from tenure_private.step as s where s.step_id = any(p_step_ids) and s.node_id is not null
        ) into strict v_publishes;
    end if;
    if p_ask.verb = 'complete' and not v_publishes
        and tenure_private.complete_at_once(p_step_ids, p_owner, p_generations, p_outputs)
    then
        if v_children then
            perform tenure_private.note_ends(p_step_ids);
        end if;
        return query select u.step_id, 'completed' from unnest(p_step_ids) as u (step_id);
        return;
    elsif cardinality(p_step_ids) > (select count(distinct u.step_id) from unnest(p_step_ids) as u (step_id)) then
        -- A step that is given more than once: its reports one after the other.
        return query
        select v.step_id, v.verdict
        from (
            select u.step_id, u.generation, u.output
            from unnest(p_step_ids, p_generations, p_outputs) with ordinality as u (step_id, generation, output, n)
            order by u.step_id, u.n
        ) as u
        cross join lateral tenure_private.settle(
            array[u.step_id], p_owner, array[u.generation], array[u.output], p_ask
        ) as v;
        return;
    end if;
    with locked as materialized (
        select
            u.step_id, u.generation, u.output, least(s.deadline_at, s.group_limit_at) as ends_at, s.started_at,
            s.timeout, s.progress_at, s.progress_timeout, s.tree,
            s.state = 'running' and s.lease_owner = p_owner and s.lease_generation = u.generation as held
        from unnest(p_step_ids, p_generations, p_outputs) as u (step_id, generation, output)
        join tenure_private.step as s on s.step_id = u.step_id
        -- Said twice, so that the index is read once for all and not for each.
        where s.step_id = any(p_step_ids)
        order by s.step_id
        for no key update of s
    ),
    instant as materialized (
        -- The count makes the clock wait for the last lock.
        select tenure_private.clock() as now from (select count(*) as n from locked) as c where c.n >= 0
    ),
    judged as (
        select
            l.step_id, l.generation, l.output, i.now, l.tree,
            p_ask.verb = 'complete' and l.held and tenure_private.limit_passed(
                i.now, l.ends_at, l.started_at, l.timeout, l.progress_at, l.progress_timeout
            ) is null as completes
        from instant as i
        cross join locked as l
    )
    select
        max(j.now),
        array_agg(j.step_id) filter (where j.completes),
        array_agg(j.output) filter (where j.completes),
        array_agg(j.step_id) filter (where not j.completes),
        array_agg(j.generation) filter (where not j.completes),
        bool_or(j.tree)
    into strict v_now, v_done, v_outputs, v_rest, v_rest_generations, v_trees
    from judged as j;

    if v_done is not null and v_publishes then
        return query
        select v.step_id, v.verdict from tenure_private.complete_nodes(v_done, v_outputs, v_now, p_owner) as v;
    elsif v_done is not null then
        perform tenure_private.land(v_done, v_outputs, tenure_private.completion(), v_now, p_ask.verb, p_owner);
        return query select u.step_id, 'completed' from unnest(v_done) as u (step_id);
    end if;
    for i in 1 .. coalesce(cardinality(v_rest), 0) loop
        select s.* into v_step from tenure_private.step as s where s.step_id = v_rest[i];
        return query
        select v_rest[i], tenure_private.settle_one(v_step, p_owner, v_rest_generations[i], v_now, p_ask);
        if v_step.state = 'running' and (v_children or v_step.tree) then
            v_ended := v_ended || v_rest[i];
        end if;
    end loop;
    if v_children or v_trees or v_ended <> '{}' then
        perform tenure_private.note_ends(v_done || v_ended);
    end if;
    if coalesce(cardinality(v_done), 0) + coalesce(cardinality(v_rest), 0) < cardinality(p_step_ids) then
        return query
        select u.step_id, 'stale'
        from unnest(p_step_ids) as u (step_id)
        where not exists (select from tenure_private.step as s where s.step_id = u.step_id);
    end if;
end
$function$;
comment on function tenure_private.settle(bigint[], text, bigint[], jsonb[], tenure_private.ask) is
'Ends executions on their worker''s report: every report, single or batch, comes through here. One verdict for each, in no order; a step that is not there is stale.';
revoke all on function tenure_private.settle(bigint[], text, bigint[], jsonb[], tenure_private.ask) from public;
