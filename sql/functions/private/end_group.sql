create or replace function tenure_private.end_group(p_step tenure_private.step, p_kind text, p_now timestamptz)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- The rest is the fold's, as when a child has failed. Where the limit is that of a group whose children have all
-- ended (a backoff), or has none yet, there is nothing to call off.
declare
    v_outcome tenure_private.outcome;
begin
    if p_step.state in ('pending', 'waiting_timer') then
        v_outcome := tenure_private.pass_limit(p_step, p_now, p_kind, 'discarded', null);
        if v_outcome.state <> 'discarded' then
            v_outcome.state := p_step.state;
            v_outcome.due_at := v_outcome.scheduled_at;
        end if;
        perform tenure_private.land(array[p_step.step_id], null, v_outcome, p_now, null, null);
    else
        update tenure_private.step_group as g
        set ending = 'group_ended', error_kind = p_kind, error = tenure_private.passed_error(p_step, p_now, p_kind, null),
            final = g.final or p_kind = 'deadline'
        where g.step_id = p_step.step_id;
        -- Not again before the fold has had its chance.
        update tenure_private.step as s set alarm_at = p_now + interval '1 second' where s.step_id = p_step.step_id;
    end if;
    perform tenure_private.fold_run(p_step.root_id, array[p_step.step_id]);
end
$function$;
comment on function tenure_private.end_group(tenure_private.step, text, timestamptz) is
'Ends the present attempt of a group by a limit, timeout or deadline, with all that is open below it.';
revoke all on function tenure_private.end_group(tenure_private.step, text, timestamptz) from public;
