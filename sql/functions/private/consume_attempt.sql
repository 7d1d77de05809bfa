create or replace function tenure_private.consume_attempt(
    p_step tenure_private.step, p_now timestamptz, p_verdict text, p_kind text, p_error jsonb, p_retry_after interval
)
returns tenure_private.outcome
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_due_at timestamptz;
    v_outcome tenure_private.outcome;
begin
    if p_step.parent_id is not null and tenure_private.has_layers(p_step.step_id) then
        v_due_at := tenure_private.next_in_layers(p_step.step_id, p_now, p_retry_after);
    elsif p_step.attempt < p_step.max_attempts then
        v_due_at := p_now + coalesce(p_retry_after, tenure_private.backoff(p_step.backoff, p_step.attempt, random()));
    end if;
    if v_due_at is null then
        return tenure_private.discard(p_step, coalesce(p_verdict, 'discarded'), p_kind, p_error);
    end if;
    v_outcome.verdict := coalesce(p_verdict, 'retrying');
    v_outcome.state := 'available';
    if p_step.state = 'pending' then
        -- What waits for keys goes on waiting for them, or for nothing any more.
        v_outcome.state := 'pending';
        v_outcome.reason := p_step.reason;
    end if;
    v_outcome.attempt := least(p_step.attempt::bigint + 1, 2147483647)::int;
    v_outcome.scheduled_at := v_due_at;
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
