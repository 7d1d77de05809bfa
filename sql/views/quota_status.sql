create or replace view tenure.quota_status as
select
    q.name as quota,
    q.capacity,
    u.in_use
from tenure_private.quota as q
-- The newest row has every running step, and others that have stopped since.
left join
    lateral (
        select h.step_ids
        from tenure_private.quota_hold as h
        where h.quota_id = q.quota_id
        order by h.seq desc
        limit 1
    ) as n
    on true
cross join
    lateral (
        select coalesce(sum(t.quota_units), 0) as in_use
        from tenure_private.step as s
        join tenure_private.track as t on t.track_id = s.track_id
        where s.step_id = any(n.step_ids) and s.state = 'running'
    ) as u;
comment on view tenure.quota_status is
'Every quota: its capacity, and in_use, the units of the steps that are running; more than the capacity where that was lowered since.';
