create or replace function tenure_private.grant_ask(
    p_step tenure_private.step, p_now timestamptz, p_ask tenure_private.ask
)
returns tenure_private.outcome
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_outcome tenure_private.outcome;
begin
    case p_ask.verb
        when 'skip' then
            v_outcome.verdict := 'skipped';
            v_outcome.state := 'skipped';
            v_outcome.reason := p_ask.reason;
        when 'fail' then
            -- A handler that its worker stopped just before the limit: the timeout, taken at once.
            if p_ask.kind = 'timeout' then
                return tenure_private.pass_limit(p_step, p_now, 'timeout', 'timed_out', p_ask.error);
            end if;
            return tenure_private.consume_attempt(p_step, p_now, null, p_ask.kind, p_ask.error, p_ask.retry_after);
        when 'release' then
            v_outcome := tenure_private.back_in_line(p_step, p_now, 'released');
            v_outcome.releases := p_step.releases + 1;
        when 'sleep', 'wait_signal' then
            return tenure_private.begin_wait(p_step, p_now, p_ask);
    end case;
    return v_outcome;
end
$function$;
comment on function tenure_private.grant_ask(tenure_private.step, timestamptz, tenure_private.ask) is
'What a report in time and under the lease brings about. complete is not here: settle() grants it for whole batches.';
revoke all on function tenure_private.grant_ask(tenure_private.step, timestamptz, tenure_private.ask) from public;
