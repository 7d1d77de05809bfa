create or replace function tenure_private.deliver_signal(p_step_id bigint, p_key text, p_now timestamptz)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_step tenure_private.step;
    v_outcome tenure_private.outcome;
begin
    select s.* into strict v_step from tenure_private.step as s where s.step_id = p_step_id for no key update;
    perform tenure_private.take_signal(v_step.root_id, p_step_id, p_key, w.signal)
    from tenure_private.wait as w
    where w.step_id = p_step_id and w.key = p_key;
    v_outcome := tenure_private.back_in_line(v_step, p_now, 'woken');
    perform tenure_private.land_one(v_step, v_outcome, p_now, null, null);
end
$function$;
comment on function tenure_private.deliver_signal(bigint, text, timestamptz) is
'Ends an open signal wait with the oldest kept signal and makes its step available. The run is locked by the caller.';
revoke all on function tenure_private.deliver_signal(bigint, text, timestamptz) from public;
