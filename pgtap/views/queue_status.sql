begin;
select plan(7);
\ir ../session.psql
\ir ../steps.psql

create function counts(p_queue text)
returns text
language sql
as $$
select concat_ws(' ', q.depth, q.due, coalesce(q.oldest_due::text, '-'), q.in_flight)
from tenure.queue_status as q
where q.queue = p_queue
$$;

select is(counts('default'), '0 0 - 0', 'An empty queue is shown');
select tenure.create_queue('io', 'delivery', retention => '1 h', discarded_retention => '2 h');
select tenure.pause_queue('io');
select is(
    (select to_jsonb(q) from tenure.queue_status as q where q.queue = 'io'),
    '{"queue": "io", "paused_at": "2030-01-01T00:00:00+00:00", "timeout_default": "00:00:30",
      "timeout_floor": "00:00:00.1", "timeout_ceiling": "00:15:00", "retention": "01:00:00",
      "discarded_retention": "02:00:00", "depth": 0, "due": 0, "oldest_due": null, "in_flight": 0}'::jsonb,
    'With its settings'
);
select tenure.enqueue('a', scheduled_at => '2029-12-31 23:00:00+00');
select tenure.enqueue('b', priority => -5);
select tenure.enqueue('c', delay => '10 s');
select tenure.enqueue('d', queue => 'io');
select is(counts('default'), '3 2 2029-12-31 23:00:00+00 0', 'depth, due, and since when the oldest is due');
select is(counts('io'), '1 1 2030-01-01 00:00:00+00 0', 'Each queue for itself; a paused one has its due steps too');
select set_clock('10 s');
select is(counts('default'), '3 3 2029-12-31 23:00:00+00 0', 'A delayed step becomes due when its time comes: R-014');
select count(*) from tenure.claim(array['default'], 'w', 2);
select is(counts('default'), '1 1 2030-01-01 00:00:10+00 2', 'What runs is in flight, no longer in depth');
select tenure.complete(1, 'w', 1);
select tenure.sleep(2, 'w', 1, '1 h');
select tenure.pause(3);
select is(counts('default'), '0 0 - 0', 'What sleeps, is paused or has ended, is neither');

select * from finish();
rollback;
