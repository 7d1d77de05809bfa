begin;
select plan(2);

insert into tenure_private.track (track_id, queue_id, priority, name)
overriding system value
select
    1000000 as track_id,
    q.queue_id,
    0 as priority,
    'a "b"' as name
from tenure_private.queue as q
where q.name = 'default';
select is(tenure_private.step_name(1000000), 'a "b"', 'The name of a track''s steps');
select throws_ok('select tenure_private.step_name(1000001)', 'P0002', null, 'A step without a track is a defect');

select * from finish();
rollback;
