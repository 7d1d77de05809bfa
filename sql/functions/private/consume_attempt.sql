create or replace function tenure_private.consume_attempt(
    p_step tenure_private.step, p_now timestamptz, p_verdict text, p_kind text, p_error jsonb, p_retry_after interval
)
returns tenure_private.outcome
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_outcome tenure_private.outcome;
begin
    if p_step.attempt >= p_step.max_attempts then
        return tenure_private.discard(p_step, coalesce(p_verdict, 'discarded'), p_kind, p_error);
    end if;
    v_outcome.verdict := coalesce(p_verdict, 'retrying');
    v_outcome.state := 'available';
    v_outcome.attempt := p_step.attempt + 1;
    v_outcome.scheduled_at := p_now
        + coalesce(p_retry_after, tenure_private.backoff(p_step.backoff, p_step.attempt, random()));
    v_outcome.error := p_error;
    v_outcome.error_kind := p_kind;
    v_outcome.ends_attempt := p_kind;
    return v_outcome;
end
$function$;
comment on function tenure_private.consume_attempt(tenure_private.step, timestamptz, text, text, jsonb, interval) is
'The outcome of an attempt that failed or ran into a limit: available after its backoff, or discarded when it was the last. p_verdict NULL: retrying or discarded.';
revoke all on function tenure_private.consume_attempt(
    tenure_private.step, timestamptz, text, text, jsonb, interval
) from public;
