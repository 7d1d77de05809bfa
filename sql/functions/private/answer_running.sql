create or replace function tenure_private.answer_running(p_step tenure_private.step, p_now timestamptz)
returns tenure_private.outcome
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- An expired lease means that nobody runs the step any more; a limit that passed under a live lease, that somebody may.
declare
    v_expired constant boolean = p_now > p_step.lease_expiry;
    v_passed text := tenure_private.limit_passed(
        p_now, p_step.deadline_at, p_step.started_at, p_step.timeout, p_step.progress_at, p_step.progress_timeout
    );
    v_outcome tenure_private.outcome;
begin
    if v_passed = 'deadline' then
        v_passed := tenure_private.passed_kind(p_step, p_now);
    end if;
    if v_passed = 'deadline' or (v_passed is not null and (v_expired or p_step.on_timeout = 'abandon')) then
        v_outcome := tenure_private.pass_limit(p_step, p_now, v_passed, null, null);
    elsif v_passed = 'timeout' and p_step.deadline_at <= p_now then
        -- A layer, and its body is waited for: as if its own timeout had passed, which rings no alarm.
        update tenure_private.step as s set deadline_at = null, timeout = interval '0' where s.step_id = p_step.step_id;
    elsif v_passed is null and v_expired and p_step.reclaims >= p_step.max_reclaims then
        v_outcome := tenure_private.pass_limit(p_step, p_now, 'reclaim_limit', null, null);
    elsif v_passed is null and v_expired then
        v_outcome := tenure_private.back_in_line(p_step, p_now, 'reclaimed');
        v_outcome.reclaims := least(p_step.reclaims::bigint + 1, 2147483647)::int;
    end if;
    v_outcome.keeps_lease := v_outcome.state = 'discarded';
    return v_outcome;
end
$function$;
comment on function tenure_private.answer_running(tenure_private.step, timestamptz) is
'What a due alarm means for a running step: a limit passed, its lease expired, or nothing yet.';
revoke all on function tenure_private.answer_running(tenure_private.step, timestamptz) from public;
