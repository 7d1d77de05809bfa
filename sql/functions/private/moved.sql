create or replace function tenure_private.moved(p_step tenure_private.step, p_verdict text, p_state text)
returns tenure_private.outcome
language sql immutable parallel safe
as $function$
-- What is not said otherwise stays as it is.
select row(
    p_step.step_id, p_verdict, p_state, p_step.scheduled_at, null, p_step.attempt, p_step.output, p_step.error,
    p_step.error_kind, p_step.reason, p_step.reclaims, p_step.releases, false, null
)::tenure_private.outcome;
$function$;
comment on function tenure_private.moved(tenure_private.step, text, text) is
'The outcome that moves a step to a state and changes nothing else; the decisions start from it.';
revoke all on function tenure_private.moved(tenure_private.step, text, text) from public;
