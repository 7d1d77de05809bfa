create or replace function tenure_private.make_available(p_step_ids bigint[], p_now timestamptz)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- Due now, or, in a run that was given a delay, when its group is, or after the delay of its own next attempt. p_now
-- was read by a transaction that had its id before, so no head has passed it.
declare
    v_track_ids int [];
begin
    with moved as (
        update tenure_private.step as s
        set state = 'available',
            scheduled_at = greatest(p_now, g.scheduled_at, s.scheduled_at),
            start_by = greatest(p_now, g.scheduled_at, s.scheduled_at) + s.start_within,
            alarm_at = tenure_private.next_alarm(
                p_now, 'available', null, null, null, null, null, null, s.deadline_at,
                greatest(p_now, g.scheduled_at, s.scheduled_at) + s.start_within, null
            )
        from tenure_private.step as g
        where s.step_id = any(p_step_ids) and s.state = 'pending' and g.step_id = s.parent_id
        returning s.track_id, s.scheduled_at
    )
    select array_agg(distinct m.track_id) into strict v_track_ids from moved as m where m.scheduled_at <= p_now;
    perform tenure_private.wake(u.track_id) from unnest(v_track_ids) as u (track_id);
end
$function$;
comment on function tenure_private.make_available(bigint[], timestamptz) is 'Lets pending children be claimed, and wakes workers.';
revoke all on function tenure_private.make_available(bigint[], timestamptz) from public;
