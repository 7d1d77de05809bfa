begin;
select plan(19);
\ir ../session.psql

create function tracks(p_queues text[], p_names text[] default null)
returns setof text
language sql
as $$
select concat_ws(' ', t.queue, t.name, t.priority, to_char(t.head, 'HH24:MI:SS'), to_char(t.mark_at, 'HH24:MI:SS'))
from unnest(tenure_private.open_tracks(p_queues, p_names, '2030-01-01 12:00:00+00')) as t
order by 1
$$;

select tenure.create_queue('io');
select tenure.create_queue('empty');
select tenure.create_queue('paused');
select tenure.enqueue('a');
select tenure.enqueue('a', priority => 5);
select tenure.enqueue('b');
select tenure.enqueue('a', queue => 'io');
select tenure.enqueue('a', queue => 'paused');
select tenure.pause_queue('paused');
select results_eq(
    $$ select tracks('{default}') $$, $$ values ('default a 0'), ('default a 5'), ('default b 0') $$,
    'One a name and priority'
);
select results_eq(
    $$ select tracks('{default}', '{b}') $$, $$ values ('default b 0') $$, 'The names that were asked for: R-035'
);
select results_eq($$ select tracks('{default}', '{b,b}') $$, $$ values ('default b 0') $$, 'Each once');
select results_eq(
    $$ select tracks('{default,io}', '{a}') $$, $$ values ('default a 0'), ('default a 5'), ('io a 0') $$,
    'Of the queues that were asked for: R-034'
);
select results_eq($$ select tracks('{io,io}') $$, $$ values ('io a 0') $$, 'Each once');
select is_empty($$ select tracks('{default}', '{nobody}') $$, 'A name without steps has none');
select is_empty($$ select tracks('{default}', '{}') $$, 'No names are none');
select is_empty($$ select tracks('{default}', '{null}') $$, 'Nor is NULL one');
select is_empty($$ select tracks('{}') $$, 'No queues, no tracks');
select is_empty($$ select tracks('{empty}') $$, 'A queue without steps has none');
select results_eq($$ select tracks('{paused,io}') $$, $$ values ('io a 0') $$, 'A paused queue gives none: R-111');
select throws_ok($$ select tracks('{default,nowhere}') $$, 'TN003', null, 'An unknown queue is refused: R-146');
select throws_ok($$ select tracks(null) $$, 'TN005', null, 'So is no list');
select throws_ok($$ select tracks('{default,null}') $$, 'TN005', null, 'And a NULL in it');
select throws_ok($$ select tracks('{""}') $$, 'TN005', null, 'And an empty name');

-- Where each begins.
insert into tenure_private.head (track_id, head, mark_at)
select
    t.track_id,
    '2030-01-01 10:00:00+00' as head,
    '2030-01-01 11:00:00+00' as mark_at
from tenure_private.track as t join tenure_private.queue as q on q.queue_id = t.queue_id and q.name = 'io';
select results_eq(
    $$ select tracks('{io}') $$, $$ values ('io a 0 10:00:00 11:00:00') $$, 'At its head, with its mark: R-169'
);
insert into tenure_private.behind (track_id, scheduled_at)
select
    t.track_id,
    '2030-01-01 09:00:00+00' as scheduled_at
from tenure_private.track as t join tenure_private.queue as q on q.queue_id = t.queue_id and q.name = 'io';
select results_eq(
    $$ select tracks('{io}') $$, $$ values ('io a 0 09:00:00 11:00:00') $$,
    'Or at the earliest step noted behind it: R-039'
);
insert into tenure_private.head (track_id, head)
select
    t.track_id,
    '2030-01-01 13:00:00+00' as head
from tenure_private.track as t join tenure_private.queue as q on q.queue_id = t.queue_id and q.name = 'io';
select is(
    (select t.head from unnest(tenure_private.open_tracks('{io}', null, '2030-01-01 12:00:00+00')) as t), '-infinity',
    'A head in the future is from before the clock was set back: R-092'
);

-- Two that made the same new track at once made two: both are read.
insert into tenure_private.track (queue_id, priority, name)
select
    t.queue_id,
    t.priority,
    t.name
from tenure_private.track as t where t.name = 'b';
select results_eq(
    $$ select tracks('{default}', '{b}') $$, $$ values ('default b 0'), ('default b 0') $$,
    'A track that was made twice is read twice'
);

select * from finish();
rollback;
