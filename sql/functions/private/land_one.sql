create or replace function tenure_private.land_one(
    p_step tenure_private.step, p_outcome tenure_private.outcome, p_now timestamptz, p_verb text, p_owner text
)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    if p_outcome.ends_attempt is not null then
        perform tenure_private.log_attempts(array[p_step.step_id], p_outcome, p_now);
    end if;
    if p_step.node_id is not null and (
        p_outcome.ends_attempt is not null
        or (p_step.state = 'running' and p_outcome.state not in ('waiting_timer', 'waiting_signal'))
    ) then
        perform tenure_private.drop_staged(array[p_step.step_id]);
    end if;
    perform tenure_private.land(array[p_step.step_id], null, p_outcome, p_now, p_verb, p_owner);
    if p_outcome.state = 'available' and p_outcome.scheduled_at <= p_now and not p_step.pausing then
        perform tenure_private.note_behind(p_step.track_id, p_outcome.scheduled_at);
        perform tenure_private.wake(p_step.track_id);
    end if;
end
$function$;
comment on function tenure_private.land_one(
    tenure_private.step, tenure_private.outcome, timestamptz, text, text
) is 'Lands one step: its ended attempt is logged, what it staged goes unless it only waits, and where it became claimable at once, its track''s head and a waiting worker are told.';
revoke all on function tenure_private.land_one(
    tenure_private.step, tenure_private.outcome, timestamptz, text, text
) from public;
