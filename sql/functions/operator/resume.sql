create or replace function tenure.resume(run_id bigint)
returns int
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
-- Locks: the run exclusively, then its steps by id.
declare
    v_run tenure_private.step;
    v_now timestamptz;
    v_ids bigint [];
begin
    v_run := tenure_private.locked_run(resume.run_id);
    v_ids := tenure_private.lock_steps(v_run.step_id);
    v_now := tenure_private.clock();
    update tenure_private.step as s
    set pausing = false
    where s.step_id = any(v_ids) and s.pausing;
    perform tenure_private.shift_layers(v_run.step_id, v_now);
    with resumed as (
        update tenure_private.step as s
        set state = s.paused_state,
            paused_state = null,
            paused_at = null,
            -- A group's attempt counts its timeout from here; another step's started_at is only told.
            started_at = case s.paused_state when 'waiting_steps' then s.started_at + p.stood else s.started_at end,
            deadline_at = s.deadline_at + p.stood,
            start_by = s.start_by + p.stood,
            due_at = d.due_at,
            alarm_at = tenure_private.next_alarm(
                v_now, s.paused_state, null, s.on_timeout, s.started_at + p.stood, s.timeout, null, null,
                s.deadline_at + p.stood, s.start_by + p.stood, d.due_at
            )
        from tenure_private.step as o
        cross join lateral (select greatest(v_now - o.paused_at, interval '0') as stood) as p
        -- A sleep goes by in the meantime; a signal wait does not.
        cross join lateral (
            select case when o.paused_state = 'waiting_signal' then o.due_at + p.stood else o.due_at end as due_at
        ) as d
        where o.step_id = s.step_id and s.step_id = any(v_ids) and s.state = 'paused'
        returning s.step_id
    )
    select array_agg(r.step_id order by r.step_id) into strict v_ids from resumed as r;
    perform tenure_private.set_group_limits(v_run.step_id);
    perform tenure_private.after_resume(v_ids, v_now);
    if v_run.tree then
        perform tenure_private.fold_run(v_run.step_id, '{}');
    end if;
    return coalesce(cardinality(v_ids), 0);
end
$function$;
comment on function tenure.resume(bigint) is
'Resumes a paused run and returns how many steps went back to what they were. A sleep that came due fires now, and signals sent meanwhile arrive.
Errors: TN001 unknown run, TN002 a child''s id.';
revoke all on function tenure.resume(bigint) from public;
grant execute on function tenure.resume(bigint) to tenure_operator;
