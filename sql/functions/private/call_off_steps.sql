create or replace function tenure_private.call_off_steps(p_step_ids bigint[], p_reason text, p_now timestamptz)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_outcome constant tenure_private.outcome = tenure_private.call_off(p_reason);
begin
    if p_step_ids <> '{}' then
        perform tenure_private.notify_owners(p_step_ids);
        perform tenure_private.log_attempts(p_step_ids, v_outcome, p_now);
        perform tenure_private.land(p_step_ids, null, v_outcome, p_now, null, null);
    end if;
end
$function$;
comment on function tenure_private.call_off_steps(bigint[], text, timestamptz) is
'Cancels unfinished steps, which the caller has locked, and tells their workers.';
revoke all on function tenure_private.call_off_steps(bigint[], text, timestamptz) from public;
