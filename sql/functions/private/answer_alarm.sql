create or replace function tenure_private.answer_alarm(p_step tenure_private.step, p_now timestamptz)
returns tenure_private.outcome
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- The order is a rule: deadline, timeout, progress, lease.
declare
    v_outcome tenure_private.outcome;
begin
    if p_step.state = 'running' then
        return tenure_private.answer_running(p_step, p_now);
    elsif p_step.deadline_at <= p_now then
        return tenure_private.pass_limit(p_step, p_now, tenure_private.passed_kind(p_step, p_now), null, null);
    elsif p_step.state = 'available' and p_step.start_by <= p_now then
        return tenure_private.pass_limit(p_step, p_now, 'start_within', null, null);
    elsif p_step.state in ('waiting_timer', 'waiting_signal') and p_step.due_at <= p_now then
        update tenure_private.wait as w
        set outcome = case w.kind when 'sleep' then 'due' else 'timed_out' end
        where w.step_id = p_step.step_id and w.outcome is null;
        return tenure_private.back_in_line(p_step, p_now, 'woken');
    end if;
    return v_outcome;
end
$function$;
comment on function tenure_private.answer_alarm(tenure_private.step, timestamptz) is
'What a due alarm means for a step; state NULL: nothing yet.';
revoke all on function tenure_private.answer_alarm(tenure_private.step, timestamptz) from public;
