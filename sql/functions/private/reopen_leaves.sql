create or replace function tenure_private.reopen_leaves(p_step_ids bigint[], p_extra_attempts int, p_now timestamptz)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- The caller holds the run exclusively. Nodes that were never claimed wait for their keys again: advance() looks at
-- them next. Under on_timeout = wait two bodies never overlap: not before the old one's lease has ended.
declare
    v_track_ids int [];
begin
    perform tenure_private.drop_staged(p_step_ids);
    perform tenure_private.restart_layers(p_step_ids, p_extra_attempts, p_now);
    with reopened as (
        update tenure_private.step as s
        set state = d.state,
            scheduled_at = d.due_at,
            attempt = case o.state
                when 'discarded' then
                    least(o.attempt::bigint + tenure_private.was_consumed(o.error_kind), 2147483647)::int
                else o.attempt
            end,
            max_attempts = case o.state
                when 'discarded' then
                    greatest(o.max_attempts, least(o.attempt::bigint + p_extra_attempts, 2147483647)::int)
                else o.max_attempts
            end,
            reclaims = 0,
            error = null,
            error_kind = null,
            reason = null,
            finished_at = null,
            lease_owner = null,
            lease_expiry = null,
            deadline_at = coalesce(p_now + s.deadline, tenure_private.nearest_layer(s.step_id)),
            start_by = d.start_by,
            alarm_at = tenure_private.next_alarm(
                p_now, d.state, null, s.on_timeout, null, null, null, null,
                coalesce(p_now + s.deadline, tenure_private.nearest_layer(s.step_id)), d.start_by, null
            )
        from tenure_private.step as o
        cross join lateral (
            select
                case
                    when o.lease_generation = 0 and o.node_id is not null and o.position is null then 'pending'
                    else 'available'
                end,
                greatest(
                    p_now, case when o.on_timeout = 'wait' then o.lease_expiry end,
                    -- What a sibling had still to wait for, it waits for again.
                    case when o.state = 'cancelled' then o.scheduled_at end
                )
        ) as w (state, due_at)
        cross join lateral (
            select w.state, w.due_at,
                -- Counted from when it is due, to its first claim: a sibling that was claimed before has had it.
                case when w.state = 'available' and o.state = 'discarded' then w.due_at + o.start_within end as start_by
        ) as d
        where s.step_id = any(p_step_ids) and o.step_id = s.step_id
        returning s.track_id, s.state
    )
    select array_agg(distinct r.track_id) into strict v_track_ids from reopened as r where r.state = 'available';
    perform tenure_private.wake(u.track_id) from unnest(v_track_ids) as u (track_id);
end
$function$;
comment on function tenure_private.reopen_leaves(bigint[], int, timestamptz) is
'Reopens steps with a handler: discarded ones with room for p_extra_attempts more, cancelled ones in the attempt that they were in.';
revoke all on function tenure_private.reopen_leaves(bigint[], int, timestamptz) from public;
