create or replace function tenure_private.ring_one(p_step_id bigint, p_root_id bigint)
returns text
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_step tenure_private.step;
    v_now timestamptz;
    v_outcome tenure_private.outcome;
    v_event text;
    v_late bigint [];
begin
    if not tenure_private.lock_run(p_root_id, false) then
        return 'nothing';
    end if;
    select s.* into v_step from tenure_private.step as s where s.step_id = p_step_id for no key update skip locked;
    v_now := tenure_private.clock();
    if v_step.alarm_at is null or v_step.alarm_at > v_now then
        return 'nothing';
    end if;
    if v_step.parent_id is not null then
        -- Where several limits have passed, the outermost decides.
        v_late := tenure_private.end_overdue(array[p_step_id], v_now);
        if v_late <> '{}' then
            perform tenure_private.fold_run(v_step.root_id, v_late);
            return tenure_private.group_event(v_late[1]);
        end if;
    end if;
    if v_step.tree and exists (select from tenure_private.step_group as g where g.step_id = p_step_id) then
        v_event := tenure_private.ring_group(v_step, v_now);
        if v_event is not null then
            return v_event;
        end if;
    else
        v_outcome := tenure_private.answer_alarm(v_step, v_now);
    end if;
    if v_outcome.state is null then
        update tenure_private.step as s
        set alarm_at = tenure_private.next_alarm(
                v_now, s.state, s.lease_expiry, s.on_timeout, s.started_at, s.timeout, s.progress_at,
                s.progress_timeout, s.deadline_at, s.start_by, s.due_at
            )
        where s.step_id = p_step_id;
        return 'nothing';
    end if;
    perform tenure_private.land_one(v_step, v_outcome, v_now, null, null);
    if v_step.parent_id is not null or v_step.tree then
        perform tenure_private.note_ends(array[p_step_id]);
    end if;
    return v_outcome.verdict;
end
$function$;
comment on function tenure_private.ring_one(bigint, bigint) is
'Locks a step whose alarm seemed due, decides again under the lock, and moves it: reclaimed, timed_out, discarded, timed_out discarded, woken or nothing.';
revoke all on function tenure_private.ring_one(bigint, bigint) from public;
