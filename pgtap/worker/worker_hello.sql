begin;
select plan(26);
\ir ../session.psql
\ir ../steps.psql

-- The requests for a notification that are open now.
create function asked()
returns text
language sql
as $$
select string_agg(format('%s to %s', w.channel, w.expires_at - timestamptz '2030-01-01 00:00:00+00'), ', ' order by 1)
from tenure_private.waiter as w
$$;

select is(
    tenure.worker_hello('w1', '{default}', false, '{"pid": 7}'), 'tenure_a95dcb8aebb202ef',
    'A hello answers the channel, made of the owner'
);
select is(
    (select to_jsonb(w) from tenure.worker_status as w),
    '{"owner": "w1", "queues": ["default"], "idle": false, "info": {"pid": 7}, "alive": true, "in_flight": 0,
      "hello_at": "2030-01-01T00:00:00+00:00", "report": null, "reported_at": null}'::jsonb,
    'worker_status shows it'
);
select is(asked(), null, 'A busy one asks for nothing: R-135');
select set_clock('14.999 s');
select is((select w.alive from tenure.worker_status as w), true, 'Alive for 15 s: R-136');
select set_clock('15 s');
select is((select w.alive from tenure.worker_status as w), false, 'And no longer: R-136');
select tenure.worker_hello('w1', '{default, io}', true);
select is(
    (select format('%s %s %s %s', w.queues, w.idle, w.info, w.alive) from tenure.worker_status as w),
    '{default,io} t {"pid": 7} t', 'The next one replaces it; info that is not said again stays'
);
select is(asked(), 'tenure_a95dcb8aebb202ef to 00:00:30', 'An idle one asks for one notification: R-136');
select tenure.worker_hello('w1', '{default}', true);
select is(asked(), 'tenure_a95dcb8aebb202ef to 00:00:30', 'However often it says so: R-136');

-- Who makes work takes one request and notifies.
select tenure.enqueue('t');
select is(asked(), null, 'An enqueue answers it: R-135');
select tenure.enqueue('t');
select is((select w.idle from tenure.worker_status as w), true, 'Once: R-136');
select tenure.worker_hello('w1', '{default}', true);
select tenure.worker_hello('w2', '{default}', true);
select tenure.enqueue('t');
select is((select count(*) from tenure_private.waiter), 1::bigint, 'One of two is notified, not both: R-135');
select tenure.enqueue('t', delay => '1 h');
select is((select count(*) from tenure_private.waiter), 1::bigint, 'For a delayed step nobody is: R-135');
select tenure.create_queue('io');
select tenure.enqueue('t', queue => 'io');
select is((select count(*) from tenure_private.waiter), 1::bigint, 'For another queue neither: R-135');
select set_clock('31 s');
select tenure.enqueue('t');
select is((select count(*) from tenure_private.waiter), 1::bigint, 'After 15 s nobody is notified: R-136');
select set_clock('100 s');
select tenure.sweep();
select is(asked(), null, 'The sweep clears such requests away');

-- A busy worker takes its request back; so does one that leaves.
select tenure.worker_hello('w1', '{default}', true);
select tenure.worker_hello('w1', '{default}', false);
select is(asked(), null, 'Busy again, it asks for nothing');

-- in_flight counts what it runs.
select take('w1');
select is((select w.in_flight from tenure.worker_status as w where w.owner = 'w1'), 4::bigint, 'It tells what runs');

-- A week after its last hello a worker is forgotten.
select set_clock('8 days');
select tenure.sweep();
select is((select count(*) from tenure.worker_status), 0::bigint, 'After a week it is forgotten');

select throws_ok($$select tenure.worker_hello(null, '{default}', true)$$, 'TN005', null, 'No owner: R-147');
select throws_ok($$select tenure.worker_hello('', '{default}', true)$$, 'TN005', null, 'An empty owner: R-147');
select throws_ok($$select tenure.worker_hello('w', null, true)$$, 'TN007', null, 'No queues');
select throws_ok($$select tenure.worker_hello('w', '{default}', null)$$, 'TN007', null, 'No idle');
select throws_ok(
    $$select tenure.worker_hello('w', '{default}', true, to_jsonb(repeat('x', 1048577)))$$, 'TN008', null, 'Over 1 MB'
);
select is((select count(*) from tenure.worker_status), 0::bigint, 'A refused hello is none: R-145');
select isnt(
    tenure.worker_hello('a', '{default}', false), tenure.worker_hello('b', '{default}', false),
    'Each has its own channel'
);
select is(length(tenure.worker_hello(repeat('ü', 500), '{default}', false)), 23, 'However long its name is');

select * from finish();
rollback;
