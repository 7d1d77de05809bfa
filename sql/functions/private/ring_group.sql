create or replace function tenure_private.ring_group(p_step tenure_private.step, p_now timestamptz)
returns text
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- The caller holds the run exclusively. A limit ends the attempt: what is open below is called off first.
declare
    v_passed constant text = tenure_private.group_limit(p_step, p_now);
begin
    if v_passed is not null then
        perform tenure_private.end_group(p_step, v_passed, p_now);
        return tenure_private.group_event(p_step.step_id);
    elsif p_step.state = 'waiting_timer' and p_step.due_at <= p_now then
        perform tenure_private.fold_run(p_step.root_id, tenure_private.open_groups(array[p_step.step_id], p_now));
        return 'woken';
    elsif p_step.state = 'pending' and p_step.due_at <= p_now then
        update tenure_private.step as s set due_at = null where s.step_id = p_step.step_id;
        perform tenure_private.fold_run(p_step.root_id, tenure_private.advance(array[p_step.step_id], p_now));
    end if;
    return null;
end
$function$;
comment on function tenure_private.ring_group(tenure_private.step, timestamptz) is
'What a due alarm means for a group: a limit has passed, or its next attempt begins: discarded, timed_out, timed_out discarded or woken; NULL: nothing yet.';
revoke all on function tenure_private.ring_group(tenure_private.step, timestamptz) from public;
