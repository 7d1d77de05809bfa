create or replace function tenure_private.unmoved(p_step tenure_private.step, p_verdict text)
returns tenure_private.outcome
language sql immutable parallel safe
as $function$
select row(
    p_step.step_id, p_verdict, null, null, null, null, null, null, null, null, null, null, null, null
)::tenure_private.outcome;
$function$;
comment on function tenure_private.unmoved(tenure_private.step, text) is 'The outcome that tells a verdict and moves nothing.';
revoke all on function tenure_private.unmoved(tenure_private.step, text) from public;
