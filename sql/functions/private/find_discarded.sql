create or replace function tenure_private.find_discarded(p_step_id bigint, p_extra_attempts int)
returns tenure_private.step
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_step tenure_private.step;
begin
    if p_extra_attempts is null or p_extra_attempts < 1 then
        perform tenure_private.refuse(
            'argument_invalid', 'extra_attempts is out of range',
            format('Given: %s.', p_extra_attempts), 'Give 1 or more.'
        );
    end if;
    perform tenure_private.lock_whole(s.root_id) from tenure_private.step as s where s.step_id = p_step_id;
    select s.* into v_step from tenure_private.step as s where s.step_id = p_step_id for no key update;
    if v_step.step_id is null then
        perform tenure_private.refuse(
            'step_not_found', 'there is no such step',
            format('Step %s.', p_step_id), 'It may have been purged: see the retention of its queue.'
        );
    elsif (select r.purging from tenure_private.step as r where r.step_id = v_step.root_id) then
        perform tenure_private.refuse(
            'run_purging', 'the run is being purged', format('Step %s.', p_step_id), 'Enqueue it anew.'
        );
    elsif v_step.state <> 'discarded' then
        perform tenure_private.refuse(
            'invalid_transition', 'only a discarded step can be retried',
            format('Step %s is %s.', p_step_id, v_step.state),
            'Cancelled and completed steps stay as they are; enqueue anew.'
        );
    end if;
    return v_step;
end
$function$;
comment on function tenure_private.find_discarded(bigint, int) is 'Locks a step for retry; refuses what cannot be retried.';
revoke all on function tenure_private.find_discarded(bigint, int) from public;
