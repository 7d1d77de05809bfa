create or replace function tenure_private.check_in_time(p_step tenure_private.step, p_now timestamptz)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    if p_step.group_limit_at <= p_now or tenure_private.limit_passed(
        p_now, p_step.deadline_at, p_step.started_at, p_step.timeout, p_step.progress_at, p_step.progress_timeout
    ) is not null then
        perform tenure_private.refuse(
            'stale', 'the time of the execution is over', format('Step %s has passed a limit.', p_step.step_id),
            'Stop the handler: whatever it reports now is too late.'
        );
    end if;
end
$function$;
comment on function tenure_private.check_in_time(tenure_private.step, timestamptz) is
'Refuses (TN014) a call of a running step that has passed one of its limits, where there is no verdict to answer.';
revoke all on function tenure_private.check_in_time(tenure_private.step, timestamptz) from public;
