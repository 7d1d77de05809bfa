begin;
select plan(7);

select tenure.create_queue('io');
create temporary table ids as
select
    q.queue_id,
    tenure_private.find_track(q.queue_id, 5, 'mail') as track_id
from tenure_private.queue as q
where q.name = 'io';
select is(tenure_private.find_track(i.queue_id, 5, 'mail'), i.track_id, 'Found again') from ids as i;
select isnt(tenure_private.find_track(i.queue_id, 6, 'mail'), i.track_id, 'Another priority is another track')
from ids as i;
select isnt(tenure_private.find_track(i.queue_id, 5, 'Mail'), i.track_id, 'So is another name') from ids as i;
select isnt(tenure_private.find_track(q.queue_id, 5, 'mail'), i.track_id, 'And another queue')
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
select is(tenure_private.find_track(i.queue_id, 5, 'mail'), i.track_id, 'Of two made at once the first') from ids as i;
select is((select count(*) from tenure_private.track as t where t.name in ('mail', 'Mail')), 5::bigint, 'And no third');

select * from finish();
rollback;
