create or replace function tenure_private.pass_limit(
    p_step tenure_private.step, p_now timestamptz, p_kind text, p_verdict text, p_cause jsonb
)
returns tenure_private.outcome
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_error constant jsonb = tenure_private.passed_error(p_step, p_now, p_kind, p_cause);
begin
    if p_kind in ('timeout', 'progress') or (p_kind = 'deadline' and p_step.deadline is null) then
        return tenure_private.consume_attempt(p_step, p_now, p_verdict, p_kind, v_error, null);
    end if;
    return tenure_private.discard(p_step, p_verdict, p_kind, v_error);
end
$function$;
comment on function tenure_private.pass_limit(tenure_private.step, timestamptz, text, text, jsonb) is
'The outcome of a passed limit, as passed_kind() calls it, whoever noticed it: timeout, progress and a deadline that is a layer consume the attempt; deadline, start_within and reclaim_limit discard. p_cause: the error that its worker reports, if it does.';
revoke all on function tenure_private.pass_limit(tenure_private.step, timestamptz, text, text, jsonb) from public;
