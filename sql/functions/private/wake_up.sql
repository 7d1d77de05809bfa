create or replace function tenure_private.wake_up(p_step tenure_private.step, p_now timestamptz)
returns tenure_private.outcome
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_outcome tenure_private.outcome := tenure_private.moved(p_step, 'woken', 'available');
begin
    v_outcome.scheduled_at := least(p_step.scheduled_at, p_now);
    return v_outcome;
end
$function$;
comment on function tenure_private.wake_up(tenure_private.step, timestamptz) is
'The outcome of a sleep or signal wait that ended: available, due at once, in its old place in line.';
revoke all on function tenure_private.wake_up(tenure_private.step, timestamptz) from public;
