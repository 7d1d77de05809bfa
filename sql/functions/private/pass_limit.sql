create or replace function tenure_private.pass_limit(
    p_step tenure_private.step, p_now timestamptz, p_kind text, p_verdict text, p_cause jsonb
)
returns tenure_private.outcome
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_error constant jsonb = tenure_private.passed_error(p_step, p_now, p_kind, p_cause);
    v_outcome tenure_private.outcome;
begin
    if p_kind in ('timeout', 'progress')
        or (p_kind = 'deadline' and p_step.parent_id is not null and tenure_private.has_layers(p_step.step_id))
    then
        v_outcome := tenure_private.consume_attempt(p_step, p_now, p_verdict, p_kind, v_error, null);
    else
        v_outcome := tenure_private.discard(p_step, p_verdict, p_kind, v_error);
    end if;
    if p_verdict is null then
        v_outcome.verdict := case
            when v_outcome.state <> 'discarded' then 'timed_out'
            when p_kind in ('timeout', 'progress') then 'timed_out discarded'
            else 'discarded'
        end;
    end if;
    return v_outcome;
end
$function$;
comment on function tenure_private.pass_limit(tenure_private.step, timestamptz, text, text, jsonb) is
'The outcome of a passed limit, as passed_kind() calls it, whoever noticed it: timeout, progress and a deadline that is a layer consume the attempt; deadline, start_within and reclaim_limit discard. p_verdict: what its worker is told, NULL: the sweep noticed it, and counts timed_out, discarded or both. p_cause: the error that its worker reports, if it does.';
revoke all on function tenure_private.pass_limit(tenure_private.step, timestamptz, text, text, jsonb) from public;
