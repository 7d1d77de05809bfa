create or replace view tenure.lease_status as
select
    s.lease_owner as owner,
    s.step_id,
    s.root_id as run_id,
    t.name,
    q.name as queue,
    s.state,
    s.attempt,
    s.lease_generation as generation,
    s.started_at,
    s.heartbeat_at,
    s.lease_expiry,
    s.lease_expiry < tenure_private.clock() as expired,
    s.progress,
    s.progress_at
from tenure_private.step as s
join tenure_private.track as t on t.track_id = s.track_id
join tenure_private.queue as q on q.queue_id = t.queue_id
where
    s.lease_owner is not null and not s.purging
    and (
        s.parent_id is null
        or not (
            select r.purging
            from tenure_private.step as r
            where r.step_id = s.root_id
        )
    );
comment on view tenure.lease_status is
'Every lease: of running steps, and of steps ended from outside whose body may still run.';
