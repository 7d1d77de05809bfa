create or replace function tenure_private.discard(
    p_step tenure_private.step, p_verdict text, p_kind text, p_error jsonb
)
returns tenure_private.outcome
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_outcome tenure_private.outcome;
begin
    v_outcome.verdict := p_verdict;
    v_outcome.state := 'discarded';
    v_outcome.error_kind := p_kind;
    v_outcome.error := p_error;
    -- An attempt that has begun; log_attempts() knows whether it had ended before.
    if p_step.lease_generation > 0 then
        v_outcome.ends_attempt := p_kind;
    end if;
    return v_outcome;
end
$function$;
comment on function tenure_private.discard(tenure_private.step, text, text, jsonb) is 'The outcome that ends a step without success.';
revoke all on function tenure_private.discard(tenure_private.step, text, text, jsonb) from public;
