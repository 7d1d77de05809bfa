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
        perform tenure_private.end_attempt(p_step, p_kind, p_now);
    end if;
    perform tenure_private.fold_run(p_step.root_id, array[p_step.step_id]);
end
$function$;
comment on function tenure_private.end_group(tenure_private.step, text, timestamptz) is
'Ends the present attempt of a group by a limit, timeout or deadline, with all that is open below it.';
revoke all on function tenure_private.end_group(tenure_private.step, text, timestamptz) from public;
