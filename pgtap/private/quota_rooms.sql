begin;
select plan(7);
\ir ../session.psql
\ir ../steps.psql

create function rooms(variadic p_names text[])
returns text
language sql
as $$
select string_agg(format('%s %s', q.name, r.room), ', ' order by q.name)
from tenure_private.quota_rooms(array(select q.quota_id from tenure_private.quota as q where q.name = any(p_names))) as r
join tenure_private.quota as q on q.quota_id = r.quota_id
$$;

select tenure.set_quota('one', 5);
select tenure.set_quota('two', 7);
select tenure.define_step('a', quota => 'one');
select tenure.define_step('b', quota => 'one', quota_units => 3);
select is(rooms('one', 'two'), 'one 5, two 7', 'All, while nothing runs');
select tenure.enqueue('a');
select tenure.enqueue('b');
select tenure.enqueue('a');
select is(rooms('one'), 'one 5', 'Waiting steps hold nothing: R-464');
select take();
select is(rooms('one', 'two'), 'one 0, two 7', 'Running ones hold their units: R-463');
select tenure.set_quota('one', 4);
select is(rooms('one'), 'one -1', 'Too many of a lowered capacity');
select tenure.complete(2, 'w', 1);
select is(rooms('one'), 'one 2', 'What has ended holds nothing: R-464');
insert into tenure_private.quota_hold (quota_id, step_ids)
select
    q.quota_id,
    h.step_ids || array[999, 1, 1] as step_ids
from tenure_private.quota as q
cross join lateral tenure_private.newest_hold(q.quota_id) as h
where q.name = 'one';
select is(rooms('one'), 'one 2', 'A step that is gone counts nothing, one that stands there twice counts once');
select is(rooms('none'), null, 'No quotas, no rooms');

select * from finish();
rollback;
