create or replace view tenure.run_status as
select
    r.step_id as run_id,
    t.name,
    q.name as queue,
    r.state,
    t.priority,
    r.scheduled_at,
    r.created_at,
    r.started_at,
    r.finished_at,
    r.attempt,
    r.max_attempts,
    r.output,
    r.error,
    r.error_kind,
    case when r.state = 'cancelled' then r.reason end as cancel_reason,
    (
        coalesce((r.lease_expiry >= tenure_private.clock())::int, 0)
        + (
            select count(*)
            from tenure_private.step as c
            where c.root_id = r.step_id and c.parent_id is not null and c.lease_expiry >= tenure_private.clock()
        )
    ) as in_flight
from tenure_private.step as r
join tenure_private.track as t on t.track_id = r.track_id
join tenure_private.queue as q on q.queue_id = t.queue_id
where r.parent_id is null and not r.purging;
comment on view tenure.run_status is
'Every run. in_flight: how many of its steps have an unexpired lease: those that run, and those ended from outside whose body has not reported since.';
