begin;
select plan(12);

select tenure.create_queue('io');
create temporary table ids as
select
    q.queue_id,
    tenure_private.find_track(q.queue_id, 5, 'mail', null, null) as track_id
from tenure_private.queue as q
where q.name = 'io';
select is(tenure_private.find_track(i.queue_id, 5, 'mail', null, null), i.track_id, 'Found again') from ids as i;
select isnt(tenure_private.find_track(i.queue_id, 6, 'mail', null, null), i.track_id, 'Another priority is another')
from ids as i;
select isnt(tenure_private.find_track(i.queue_id, 5, 'Mail', null, null), i.track_id, 'So is another name')
from ids as i;
select isnt(tenure_private.find_track(q.queue_id, 5, 'mail', null, null), i.track_id, 'And another queue')
from ids as i
cross join tenure_private.queue as q
where q.name = 'default';
select is((select count(*) from tenure_private.track as t where t.name in ('mail', 'Mail')), 4::bigint, 'One each');
insert into tenure_private.track (queue_id, priority, name)
select
    i.queue_id,
    5 as priority,
    'mail' as name
from ids as i;
select is(tenure_private.find_track(i.queue_id, 5, 'mail', null, null), i.track_id, 'Of two made at once the first')
from ids as i;
select is((select count(*) from tenure_private.track as t where t.name in ('mail', 'Mail')), 5::bigint, 'And no third');

-- Quotas and units are part of what it is.
create temporary table split as
select
    w.quota_ids,
    w.units,
    tenure_private.find_track(i.queue_id, 5, 'mail', w.quota_ids, w.units) as track_id
from ids as i
cross join (values ('{1}'::int[], 1), ('{1}', 2), ('{2}', 1), ('{1, 2}', 1)) as w (quota_ids, units);
select is((select count(distinct s.track_id) from split as s), 4::bigint, 'Other quotas or units are another track');
select is_empty('select from split as s join ids as i on i.track_id = s.track_id', 'None is that without a quota');
select is_empty(
    $$
    select from split as s cross join ids as i
    where tenure_private.find_track(i.queue_id, 5, 'mail', s.quota_ids, s.units) <> s.track_id
    $$,
    'Each is found again'
);
select results_eq(
    'select t.quota_units from tenure_private.track as t join split as s on s.track_id = t.track_id order by 1',
    'values (1), (1), (1), (2)', 'With its units'
);
select is(tenure_private.find_track(i.queue_id, 5, 'mail', null, null), i.track_id, 'The plain one stays the plain one')
from ids as i;

select * from finish();
rollback;
