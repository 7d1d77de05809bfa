create or replace function tenure_private.decide(
    p_step tenure_private.step,
    p_owner text,
    p_generation bigint,
    p_now timestamptz,
    p_ask tenure_private.ask
)
returns tenure_private.outcome
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- p_step is locked and p_now was read after that. The order is a rule: the lease, the limits, the report;
-- of the limits those of the groups around it first.
declare
    v_passed text;
    v_outcome tenure_private.outcome;
begin
    if p_step.state <> 'running' or p_step.lease_owner <> p_owner or p_step.lease_generation <> p_generation then
        v_outcome.verdict := tenure_private.late_verdict(p_step, p_owner, p_generation, p_ask.verb);
        return v_outcome;
    elsif p_step.group_limit_at <= p_now and p_ask.kind is distinct from 'uncertain' then
        -- As the fold that follows would have done it; but its body has come back.
        v_outcome := tenure_private.call_off('group_ended');
        v_outcome.keeps_lease := false;
        return v_outcome;
    end if;
    v_passed := tenure_private.limit_passed(
        p_now, p_step.deadline_at, p_step.started_at, p_step.timeout, p_step.progress_at, p_step.progress_timeout
    );
    if v_passed = 'deadline' then
        v_passed := tenure_private.passed_kind(p_step, p_now);
    end if;
    if p_ask.kind = 'uncertain' or (p_ask.kind = 'permanent' and v_passed is distinct from 'deadline') then
        return tenure_private.discard(p_step, 'discarded', p_ask.kind, p_ask.error);
    elsif v_passed is not null then
        return tenure_private.pass_limit(p_step, p_now, v_passed, 'timed_out', p_ask.error);
    end if;
    return tenure_private.grant_ask(p_step, p_now, p_ask);
end
$function$;
comment on function tenure_private.decide(tenure_private.step, text, bigint, timestamptz, tenure_private.ask) is
'What becomes of a running step whose worker reports: the one place where lease, limits and report are weighed.';
revoke all on function tenure_private.decide(
    tenure_private.step, text, bigint, timestamptz, tenure_private.ask
) from public;
