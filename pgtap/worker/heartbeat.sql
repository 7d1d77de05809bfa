begin;
select plan(35);
\ir ../session.psql
\ir ../steps.psql

-- The answer as text: verdict, end of the lease, time left.
create function beat(p_step_id bigint, p_owner text, p_generation bigint, p_progress jsonb default null)
returns text
language sql
as $$
select format('%s until %s left %s', b.verdict, b.lease_expiry - timestamptz '2030-01-01 00:00:00+00', b.time_left)
from tenure.heartbeat(p_step_id, p_owner, p_generation, p_progress) as b
$$;

select tenure.enqueue('t', timeout => '100 s');
select tenure.enqueue('t', deadline => '90 s', timeout => '200 s');
select tenure.enqueue('t');
select is(take('w', '30 s'), 3::bigint, 'All run');
select set_clock('10 s');
select is(beat(1, 'w', 1), 'renewed until 00:00:40 left 00:01:30', 'Renewed by the ttl of its claim: R-040');
select is(beat(2, 'w', 1), 'renewed until 00:00:40 left 00:01:20', 'The nearer limit counts: R-031');
select is(beat(3, 'w', 1), 'renewed until 00:00:40 left ', 'Without a limit no time left: R-031');
select is(
    (
        select format('%s %s', s.heartbeat_at, s.lease_expiry)
        from tenure.step_status as s
        where s.step_id = 1
    ),
    '2030-01-01 00:00:10+00 2030-01-01 00:00:40+00', 'The row says so: R-040'
);
select set_clock('40 s');
select is(beat(1, 'w', 1), 'renewed until 00:01:10 left 00:01:00', 'And again');

-- Guards: owner, generation, running.
select is(beat(1, 'v', 1), 'lost until  left ', 'Another owner has lost it: R-041');
select is(beat(1, 'W', 1), 'lost until  left ', 'Owners are compared to the letter: R-041');
select is(beat(1, 'w', 0), 'lost until  left ', 'Another generation: R-041');
select is(beat(1, 'w', 2), 'lost until  left ', 'One that has not been: R-041');
select is(beat(999, 'w', 1), 'lost until  left ', 'A step that is not there: R-041');
select is(
    (select s.lease_expiry from tenure.step_status as s where s.step_id = 1), '2030-01-01 00:01:10+00',
    'None of them changed anything: R-041'
);
select tenure.release(3, 'w', 1);
select is(beat(3, 'w', 1), 'lost until  left ', 'A step handed back: R-041');
select take('v');
select is(beat(3, 'w', 1), 'lost until  left ', 'And claimed by somebody else: R-041');
select is(beat(3, 'v', 2), 'renewed until 00:01:40 left ', 'Who has it now');
select tenure.cancel(3);
select is(beat(3, 'v', 2), 'cancelled until  left ', 'A cancelled one: R-041, R-103');
select is(beat(3, 'w', 1), 'cancelled until  left ', 'Whoever asks: R-041');

-- Limits.
select set_clock('89.999999 s');
select is(beat(2, 'w', 1), 'renewed until 00:01:59.999999 left 00:00:00.000001', 'A moment before the deadline: R-014');
select set_clock('90 s');
select is(beat(2, 'w', 1), 'timed_out until 00:01:59.999999 left 00:00:00', 'At the deadline: R-014, R-042');
select set_clock('99.999999 s');
select is(beat(1, 'w', 1), 'renewed until 00:02:09.999999 left 00:00:00.000001', 'A moment before the timeout: R-014');
select set_clock('100 s');
select is(beat(1, 'w', 1), 'timed_out until 00:02:09.999999 left 00:00:00', 'At the timeout it is not renewed: R-042');
select set_clock('120 s');
select is(beat(1, 'w', 1), 'timed_out until 00:02:09.999999 left 00:00:00', 'Time left is never negative: R-031');
select is(
    (select s.heartbeat_at from tenure.step_status as s where s.step_id = 1), '2030-01-01 00:01:39.999999+00',
    'Nor does it count as a beat: R-042'
);

-- Progress.
select tenure.enqueue('t');
select take('w', '30 s');
select is(beat(4, 'w', 1, '{"done": 3}'), 'renewed until 00:02:30 left ', 'With progress');
select is(
    (select format('%s %s', s.progress, s.progress_at) from tenure.step_status as s where s.step_id = 4),
    '{"done": 3} 2030-01-01 00:02:00+00', 'It is stored with its time: R-044'
);
select set_clock('125 s');
select beat(4, 'w', 1);
select is(
    (select format('%s %s', s.progress, s.progress_at) from tenure.step_status as s where s.step_id = 4),
    '{"done": 3} 2030-01-01 00:02:00+00', 'SQL NULL is no progress: R-021'
);
select beat(4, 'w', 1, 'null');
select is(
    (select format('%s %s', s.progress, s.progress_at) from tenure.step_status as s where s.step_id = 4),
    'null 2030-01-01 00:02:05+00', 'JSON null is: R-021'
);
select beat(4, 'v', 1, '"mine"');
select is(
    (select s.progress from tenure.step_status as s where s.step_id = 4), 'null',
    'Without the lease none is stored: R-041'
);
select is(
    (select beat(4, 'w', 1, to_jsonb(repeat('x', 8000)))), 'renewed until 00:02:35 left ', 'Nearly 8 kB: R-044'
);
select throws_ok(
    $$select tenure.heartbeat(4, 'w', 1, to_jsonb(repeat('x', 9000)))$$, 'TN008', null, 'Over 8 kB: R-044'
);

-- The alarm is never later than what it must tell of: here the clock was set back an hour.
select set_clock('-1 h');
select beat(4, 'w', 1);
select is(
    (select s.alarm_at from tenure_private.step as s where s.step_id = 4), '2029-12-31 23:00:30+00',
    'A new expiry that is nearer than the alarm lowers it: R-047'
);

select throws_ok($$select tenure.heartbeat(null, 'w', 1)$$, 'TN007', null, 'No step: R-153');
select throws_ok($$select tenure.heartbeat(1, null, 1)$$, 'TN005', null, 'No owner: R-147');
select throws_ok($$select tenure.heartbeat(1, '', 1)$$, 'TN005', null, 'An empty owner: R-147');
select throws_ok($$select tenure.heartbeat(1, 'w', null)$$, 'TN007', null, 'No generation: R-153');

select * from finish();
rollback;
