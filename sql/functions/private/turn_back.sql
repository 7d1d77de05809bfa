create or replace function tenure_private.turn_back(p_now timestamptz, p_seen timestamptz)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- Whatever bears an instant later than now was written by the old clock: its limits and timers are moved back by as
-- much as the clock was, so that each keeps the time that it had left. A lease that is not renewed soon expires.
-- scheduled_at is the caller's and stays, unless it had come already: by the last sweep, or when the step was made.
declare
    v_by constant interval = p_seen - p_now;
    v_ids bigint [];
begin
    with moved as (
        update tenure_private.step as s
        -- By comparing, for least() passes over NULLs.
        set started_at = case when s.started_at > p_now then p_now else s.started_at end,
            heartbeat_at = case when s.heartbeat_at > p_now then p_now else s.heartbeat_at end,
            progress_at = case when s.progress_at > p_now then p_now else s.progress_at end,
            paused_at = case when s.paused_at > p_now then p_now else s.paused_at end,
            lease_expiry = case
                when s.lease_expiry > p_now + s.lease_ttl then p_now + s.lease_ttl else s.lease_expiry
            end,
            scheduled_at = case
                when s.scheduled_at between p_now and greatest(p_seen, s.created_at) then p_now
                when s.scheduled_at > p_seen and (s.heartbeat_at > p_now or b.backs_off) then s.scheduled_at - v_by
                else s.scheduled_at
            end,
            due_at = case
                when b.backs_off or exists (
                    select from tenure_private.wait as w
                    where w.step_id = s.step_id and w.outcome is null and w.created_at > p_now
                ) then s.due_at - v_by
                else s.due_at
            end,
            deadline_at = case when s.created_at > p_now then s.deadline_at - v_by else s.deadline_at end,
            start_by = case when s.created_at > p_now then s.start_by - v_by else s.start_by end,
            alarm_at = case when s.alarm_at is not null then p_now end
        from (
            select
                l.step_id,
                l.tree and l.started_at > p_now
                    and 'waiting_timer' in (l.state, coalesce(l.paused_state, l.state)) as backs_off
            from tenure_private.step as l
            where l.finished_at is null
                and (
                    greatest(l.alarm_at, l.created_at, l.started_at, l.heartbeat_at, l.paused_at) > p_now
                    or l.scheduled_at between p_now and p_seen
                )
            order by l.step_id
            for no key update skip locked
        ) as b
        where s.step_id = b.step_id
        returning s.step_id
    )
    select coalesce(array_agg(m.step_id), '{}') into strict v_ids from moved as m;
    update tenure_private.layer as l set entered_at = l.entered_at - v_by
    where l.step_id = any(v_ids) and l.entered_at > p_now;
    perform tenure_private.set_limits(v_ids);
    perform tenure_private.set_group_limits(s.step_id)
    from tenure_private.step as s
    where s.tree and s.parent_id is null and s.finished_at is null and s.state <> 'paused';
    insert into tenure_private.head (track_id, head)
    select h.track_id, '-infinity' from tenure_private.head as h group by h.track_id;
end
$function$;
comment on function tenure_private.turn_back(timestamptz, timestamptz) is
'After the clock was set back from p_seen to p_now: alarms, unrenewed leases, timers and limits are set anew. Reads the whole table; this happens once.';
revoke all on function tenure_private.turn_back(timestamptz, timestamptz) from public;
