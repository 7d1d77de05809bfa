begin;
select plan(20);
\ir ../session.psql
\ir ../steps.psql

-- The clock stands at 10:00 and is seen by a sweep; then it is set back to 08:00.
select set_clock('10 h');
select tenure.enqueue('crashed');
select tenure.enqueue('beating');
select tenure.enqueue('asleep');
select tenure.enqueue('waiting');
select tenure.enqueue('limited', timeout => '30 m');
select tenure.enqueue('to end', deadline => '40 m');
select tenure.enqueue('to start', start_within => '50 m', priority => 1);
select tenure.claim(array['default'], 'w', 6, '60 s');
select tenure.sleep(3, 'w', 1, '10 m');
select tenure.wait_signal(4, 'w', 1, 'go', '20 m');
select tenure.release(6, 'w', 1);
select is(swept(), '0 reclaimed, 0 timed out, 0 discarded, 0 woken', 'All is well at ten');

select set_clock('8 h');
select is(swept(), '0 reclaimed, 0 timed out, 0 discarded, 0 woken', 'Nothing is moved by the clock alone: R-092');
select is((tenure.sweep()).next_due_in, '60 s', 'What comes next is the end of the leases: R-092');
select is(
    (select s.lease_expiry from tenure.step_status as s where s.step_id = 1), '2030-01-01 08:01:00+00',
    'A lease that is not renewed ends a ttl from now: R-092'
);
select is((tenure.heartbeat(2, 'w', 1)).verdict, 'renewed', 'The one that beats');
select tenure.heartbeat(5, 'w', 1);
select set_clock('8 h 1 m 1 s');
select is(swept(), '3 reclaimed, 0 timed out, 0 discarded, 0 woken', 'What was not renewed again is reclaimed: R-092');

-- Each limit and timer keeps the time that it had left.
select set_clock('8 h 9 m 59 s');
select is(swept(), '0 reclaimed, 0 timed out, 0 discarded, 0 woken', 'Before the sleep''s ten minutes');
select set_clock('8 h 10 m');
select is(swept(), '0 reclaimed, 0 timed out, 0 discarded, 1 woken', 'After ten minutes the sleep is over: R-092');
select set_clock('8 h 19 m 59 s');
select is(swept(), '0 reclaimed, 0 timed out, 0 discarded, 0 woken', 'Before the wait''s twenty');
select set_clock('8 h 20 m');
select is(swept(), '0 reclaimed, 0 timed out, 0 discarded, 1 woken', 'After twenty the wait times out: R-092');
select set_clock('8 h 39 m 59 s');
select is(swept(), '0 reclaimed, 0 timed out, 0 discarded, 0 woken', 'Before the deadline''s forty');
select set_clock('8 h 40 m');
select is(swept(), '0 reclaimed, 0 timed out, 1 discarded, 0 woken', 'After forty it has passed: R-092');
select is(shown(6) ->> 'kind', 'deadline', 'The deadline');
select set_clock('8 h 49 m 59 s');
select is(swept(), '0 reclaimed, 0 timed out, 0 discarded, 0 woken', 'Before the fifty of start_within');
select set_clock('8 h 50 m');
select is(swept(), '0 reclaimed, 0 timed out, 1 discarded, 0 woken', 'After fifty it has passed: R-092');
select is(shown(7) ->> 'kind', 'start_within', 'start_within');
select is(take(), 5::bigint, 'All that is due is claimed, in spite of the clock: R-092');

-- A clock set forward has limits come at once, and nothing is lost.
select tenure.enqueue('t');
select set_clock('20 h');
select is(swept(), '4 reclaimed, 1 timed out, 0 discarded, 0 woken', 'Leases and limits are over');
select set_clock('20 h 2 s');
select is(take(), 6::bigint, 'And everything is claimed again');
select is(
    (select count(*) from tenure.step_status as s where s.state = 'running'), 6::bigint, 'Nothing is lost: R-092'
);

select * from finish();
rollback;
