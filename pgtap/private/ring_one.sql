begin;
select plan(12);
\ir ../session.psql
\ir ../steps.psql

select tenure.enqueue('job', timeout => '10 s', max_attempts => 2);
select take('w', '1 m');
select is(tenure_private.ring_one(1, 1), 'nothing', 'An alarm that is not due: R-084');
select is(tenure_private.ring_one(99, 99), 'nothing', 'A step that is not there');
select set_clock('10 s');
select is(tenure_private.ring_one(1, 1), 'timed_out', 'A limit that has passed: R-062');
select is(shown(1, 'state', 'attempt'), 'available 2', 'It has landed');
select is(logged(1), '1 by w/1 at 00:00:10: timeout', 'With its attempt in the log');
select is(tenure_private.ring_one(1, 1), 'nothing', 'It rings once');
select set_clock('1 h');
select take('w', '1 m');
select set_clock('1 h 10 s');
select is(tenure_private.ring_one(1, 1), 'timed_out discarded', 'The last attempt: both, R-062, R-088');
select is(shown(1, 'alarm_at'), '-', 'What has ended has no alarm: R-011');

-- An alarm that is early is only set anew.
select tenure.enqueue('job');
select take('w', '1 m');
update tenure_private.step set alarm_at = '2030-01-01 01:00:05+00' where step_id = 2;
select is(tenure_private.ring_one(2, 2), 'nothing', 'An early alarm: R-087');
select is(shown(2, 'state', 'alarm_at'), 'running 2030-01-01T01:01:10+00:00', 'is set anew: R-087');
select tenure.worker_hello('w', array['default'], true);
select tenure.enqueue('job', delay => '1 m');
select set_clock('1 h 1 m 10.000001 s');
select tenure.worker_hello('w', array['default'], true);
select is(tenure_private.ring_one(2, 2), 'reclaimed', 'A lease that is over: R-070');
select is_empty('table tenure_private.waiter', 'A waiting worker is told: R-135');

select * from finish();
rollback;
