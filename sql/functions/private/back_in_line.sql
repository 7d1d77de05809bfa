create or replace function tenure_private.back_in_line(p_step tenure_private.step, p_now timestamptz, p_verdict text)
returns tenure_private.outcome
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_outcome tenure_private.outcome;
begin
    v_outcome.verdict := p_verdict;
    v_outcome.state := 'available';
    v_outcome.scheduled_at := least(p_step.scheduled_at, p_now);
    return v_outcome;
end
$function$;
comment on function tenure_private.back_in_line(tenure_private.step, timestamptz, text) is
'The outcome of an execution or a wait that ended without ending the attempt: available, due at once, in its old place in line.';
revoke all on function tenure_private.back_in_line(tenure_private.step, timestamptz, text) from public;
