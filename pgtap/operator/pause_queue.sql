begin;
select plan(13);
\ir ../session.psql
\ir ../steps.psql

select tenure.create_queue('other');
select tenure.enqueue('job', deadline => '10 s');
select tenure.enqueue('job', start_within => '10 s');
select tenure.enqueue('run', timeout => '20 s');
select count(*) from tenure.claim(array['default'], 'w', 1, '1 m', array['run']);
select tenure.pause_queue('default');
select is(
    (select q.paused_at from tenure.queue_status as q where q.queue = 'default'),
    '2030-01-01 00:00:00+00',
    'It tells since when'
);
select is(take(), 0::bigint, 'It gives no claims: R-111');
select lives_ok($$ select tenure.enqueue('job', queue => 'default') $$, 'It takes new steps');
select tenure.enqueue('job', queue => 'other');
select is(
    (select count(*) from tenure.claim(array['default', 'other'], 'w', 10) as c where c.queue = 'other'), 1::bigint,
    'Other queues go on: R-034'
);
select is((tenure.heartbeat(3, 'w', 1)).verdict, 'renewed', 'What runs, can beat');
select set_clock('5 s');
select tenure.pause_queue('default');
select is(
    (select q.paused_at from tenure.queue_status as q where q.queue = 'default'), '2030-01-01 00:00:00+00',
    'Paused again it has been paused since the first time'
);
select set_clock('10 s');
select is(swept(), '0 reclaimed, 0 timed out, 2 discarded, 0 woken', 'deadline and start_within run on: R-111');
select set_clock('20 s');
select is(swept(), '0 reclaimed, 1 timed out, 0 discarded, 0 woken', 'So does a timeout: R-111');
select tenure.resume_queue('default');
select is(take(), 1::bigint, 'Resumed, it gives what is still in time: R-111');
select is(tenure.complete(4, 'w', 1), 'completed', 'And what it gives, can be reported');

select throws_ok($$ select tenure.pause_queue('nowhere') $$, 'TN003', null, 'An unknown queue is refused: R-146');
select throws_ok('select tenure.pause_queue(null)', 'TN005', null, 'NULL too');
select throws_ok($$ select tenure.pause_queue('') $$, 'TN005', null, 'And an empty name');

select * from finish();
rollback;
