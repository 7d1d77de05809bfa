create or replace function tenure_private.fail_group(
    p_step tenure_private.step, p_group tenure_private.step_group, p_now timestamptz
)
returns bigint[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_outcome tenure_private.outcome;
begin
    if p_group.final or p_group.uncertain then
        v_outcome := tenure_private.discard(p_step, 'discarded', p_group.error_kind, p_group.error);
    else
        v_outcome := tenure_private.consume_attempt(p_step, p_now, null, p_group.error_kind, p_group.error, null);
    end if;
    perform tenure_private.log_group(p_step, p_group, p_now);
    if v_outcome.state = 'discarded' then
        perform tenure_private.land(array[p_step.step_id], null, v_outcome, p_now, null, null);
        return array[p_step.step_id];
    end if;
    v_outcome.state := 'waiting_timer';
    v_outcome.due_at := v_outcome.scheduled_at;
    perform tenure_private.land(array[p_step.step_id], null, v_outcome, p_now, null, null);
    -- Each hundredth attempt is left to the sweep: what fails at once must not keep one transaction for ever.
    if v_outcome.due_at <= p_now and v_outcome.attempt % 100 <> 0 then
        return tenure_private.open_groups(array[p_step.step_id], p_now);
    end if;
    return array[]::bigint [];
end
$function$;
comment on function tenure_private.fail_group(tenure_private.step, tenure_private.step_group, timestamptz) is
'Ends a group''s attempt that failed, whose children have all ended: discarded, or a new attempt with new children, after its delay. Returns the steps that ended by it.';
revoke all on function tenure_private.fail_group(
    tenure_private.step, tenure_private.step_group, timestamptz
) from public;
