begin;
select plan(12);
\ir ../session.psql
\ir ../steps.psql

-- What is left, by queue and state.
create function left_over()
returns text
language sql
as $$
select string_agg(format('%s %s: %s', c.queue, c.state, c.n), ', ' order by c.queue, c.state)
from (
    select s.queue, s.state, count(*) as n
    from tenure.step_status as s
    group by s.queue, s.state
) as c
$$;

select tenure.create_queue('short', retention => '1 h', discarded_retention => '3 h');
select tenure.create_queue('long', retention => '8760 h');

-- One of each end, in each of two queues, at 0; and one that has not ended.
select tenure.enqueue('t', queue => q.name) from unnest(array['default', 'short']) as q (name), generate_series(1, 5);
select count(*) from tenure.claim('{default, short}', 'w', 1000);
select tenure.complete(s.step_id, 'w', 1) from tenure.step_status as s where s.step_id in (1, 6);
select tenure.skip(s.step_id, 'w', 1) from tenure.step_status as s where s.step_id in (2, 7);
select tenure.cancel(s.step_id) from tenure.step_status as s where s.step_id in (3, 8);
select tenure.complete(s.step_id, 'w', 1) from tenure.step_status as s where s.step_id in (3, 8);
select tenure.fail(4, 'w', 1, '"e"', kind => 'permanent');
select tenure.fail(9, 'w', 1, '"e"', kind => 'permanent');
select tenure.pause(s.step_id) from tenure.step_status as s where s.step_id in (5, 10);
select tenure.release(s.step_id, 'w', 1) from tenure.step_status as s where s.step_id in (5, 10);

select set_clock('59 m 59 s');
select tenure.sweep();
select is(
    left_over(),
    'default cancelled: 1, default completed: 1, default discarded: 1, default paused: 1, default skipped: 1,'
    ' short cancelled: 1, short completed: 1, short discarded: 1, short paused: 1, short skipped: 1',
    'Before its retention nothing goes: R-140'
);
select set_clock('1 h');
select tenure.sweep();
select is(
    left_over(),
    'default cancelled: 1, default completed: 1, default discarded: 1, default paused: 1, default skipped: 1,'
    ' short discarded: 1, short paused: 1',
    'After an hour the queue that says so lets its runs go, but the discarded ones: R-139, R-140'
);
select set_clock('3 h');
select tenure.sweep();
select is(
    left_over(),
    'default cancelled: 1, default completed: 1, default discarded: 1, default paused: 1, default skipped: 1,'
    ' short paused: 1',
    'Those after three: R-139, R-140'
);
select set_clock('167 h 59 m 59 s');
select tenure.sweep();
select is((select count(*) from tenure.step_status), 6::bigint, 'By default they stay for seven days: R-139');
select set_clock('168 h');
select tenure.sweep();
select is(
    left_over(), 'default discarded: 1, default paused: 1, short paused: 1', 'And no longer: R-139, R-140'
);
select set_clock('719 h 59 m 59 s');
select tenure.sweep();
select is(left_over(), 'default discarded: 1, default paused: 1, short paused: 1', 'Discarded ones for thirty: R-139');
select set_clock('720 h');
select tenure.sweep();
select is(left_over(), 'default paused: 1, short paused: 1', 'And no longer; what has not ended stays: R-139, R-140');
select is((select count(*) from tenure.attempt_log), 0::bigint, 'With all that belonged to them');

-- A run is never retired under a lease that has not ended.
select tenure.enqueue('t', queue => 'short');
select count(*) from tenure.claim('{short}', 'w', 1, '10 h');
select tenure.cancel(11);
select set_clock('730 h');
select tenure.sweep();
select is((tenure.status(11)).state, 'cancelled', 'Its body may still run: R-141');
select set_clock('730 h 1 s');
select tenure.sweep();
select is(left_over(), 'default paused: 1, short paused: 1', 'Then it goes');

-- Thousands that ended at one instant, and are kept, bar nobody's way: neither that of one that ended with them,
-- nor that of one that ended after them.
select count(tenure.enqueue('t', queue => 'long')) from generate_series(1, 5000);
select tenure.enqueue('t', queue => 'short');
update tenure_private.step set state = 'completed', finished_at = created_at, alarm_at = null where step_id > 11;
select tenure.enqueue('t', queue => 'short');
select count(*) from tenure.claim('{short}', 'w');
select set_clock('730 h 2 s');
select tenure.complete(5013, 'w', 1);
select is((tenure.status(5013)).state, 'completed', 'One that ended after them');
select set_clock('732 h');
select tenure.sweep();
select set_clock('732 h 1 s');
select tenure.sweep();
select set_clock('732 h 2 s');
select tenure.sweep();
select is(
    left_over(), 'default paused: 1, long completed: 5000, short paused: 1', 'Both go when their time has come: R-140'
);

select * from finish();
rollback;
