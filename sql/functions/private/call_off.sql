create or replace function tenure_private.call_off(p_reason text)
returns tenure_private.outcome
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_outcome tenure_private.outcome;
begin
    v_outcome.verdict := 'cancelled';
    v_outcome.state := 'cancelled';
    v_outcome.reason := left(p_reason, 10000);
    v_outcome.keeps_lease := true;
    v_outcome.ends_attempt := 'cancelled';
    return v_outcome;
end
$function$;
comment on function tenure_private.call_off(text) is
'The outcome of a cancel. A running body may go on for a while: its lease stays on the row until its next report.';
revoke all on function tenure_private.call_off(text) from public;
