create or replace view tenure.queue_status as
select
    q.name as queue,
    q.paused_at,
    q.timeout_default,
    q.timeout_floor,
    q.timeout_ceiling,
    q.retention,
    q.discarded_retention,
    a.depth,
    a.due,
    a.oldest_due,
    coalesce(r.in_flight, 0) as in_flight
from tenure_private.queue as q
cross join (select tenure_private.clock() as now) as c
-- Both parts are read through the partial indexes, so that finished steps cost nothing.
cross join
    lateral (
        select
            count(*) as depth,
            count(*) filter (where s.scheduled_at <= c.now) as due,
            min(s.scheduled_at) filter (where s.scheduled_at <= c.now) as oldest_due
        from tenure_private.track as t
        join tenure_private.step as s on s.track_id = t.track_id and s.state = 'available'
        where t.queue_id = q.queue_id
    ) as a
left join (
    select
        t.queue_id,
        count(*) as in_flight
    from tenure_private.step as s
    join tenure_private.track as t on t.track_id = s.track_id
    where s.alarm_at is not null and s.state = 'running'
    group by t.queue_id
) as r on r.queue_id = q.queue_id;
comment on view tenure.queue_status is
'Every queue: its settings; depth: available steps, due of them due now; oldest_due: since when the oldest of those waits; in_flight: running steps.';
