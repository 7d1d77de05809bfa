create or replace view tenure.worker_status as
select
    w.owner,
    w.queues,
    w.idle,
    w.info,
    w.hello_at,
    w.expires_at > tenure_private.clock() as alive,
    coalesce(s.in_flight, 0) as in_flight,
    w.report,
    w.reported_at
from tenure_private.worker as w
left join (
    select
        s.lease_owner,
        count(*) as in_flight
    from tenure_private.step as s
    where s.alarm_at is not null and s.state = 'running'
    group by s.lease_owner
) as s on s.lease_owner = w.owner;
comment on view tenure.worker_status is
'Every worker that said hello in the last week. alive: it did so within 15 seconds; report: what it said when it left.';
