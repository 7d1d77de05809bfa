begin;
select plan(37);
\ir ../session.psql
\ir ../steps.psql

-- Back to where it was, its clocks moved on by the time of the pause.
select tenure.enqueue(n.name, delay => n.delay, deadline => '1 h', start_within => '10 m')
from (
    values
    (1, 'available', interval '0'),
    (2, 'scheduled', '30 s'),
    (3, 'backoff', '0'),
    (4, 'sleeping', '0'),
    (5, 'waiting', '0'),
    (6, 'asleep long', '0'), (7, 'waiting for ever', '0')
) as n (n, name, delay)
order by n.n;
select count(*) from tenure.claim(
    array['default'], 'w', 10, '1 m', array['backoff', 'sleeping', 'waiting', 'asleep long', 'waiting for ever']
);
select tenure.fail(3, 'w', 1, '{"type": "E"}', retry_after => '10 s');
select tenure.sleep(4, 'w', 1, '10 s');
select tenure.wait_signal(5, 'w', 1, 'go', '10 s');
select tenure.sleep(6, 'w', 1, '2 h');
select tenure.wait_signal(7, 'w', 1, 'go');
select set_clock('1 s');
select tenure.pause(s.step_id) from generate_series(1, 7) as s (step_id);
select set_clock('2 m 1 s');
select is(tenure.resume(s.step_id), 1, 'Resumed: ' || shown(s.step_id, 'name'))
from generate_series(1, 7) as s (step_id);
select
    is(
        shown(
            s.step_id,
            'state',
            'paused_state',
            'paused_at',
            'deadline_at',
            'start_by',
            'due_at',
            'scheduled_at',
            'alarm_at'
        ),
        s.shown, format('%s: R-112, R-114, R-115', shown(s.step_id, 'name'))
    )
from (
    values
    (
        1, 'available - - 2030-01-01T01:02:00+00:00 2030-01-01T00:12:00+00:00 - 2030-01-01T00:00:00+00:00'
        ' 2030-01-01T00:12:00+00:00'
    ),
    (
        2, 'available - - 2030-01-01T01:02:00+00:00 2030-01-01T00:12:30+00:00 - 2030-01-01T00:00:30+00:00'
        ' 2030-01-01T00:12:30+00:00'
    ),
    (3, 'available - - 2030-01-01T01:02:00+00:00 - - 2030-01-01T00:00:10+00:00 2030-01-01T01:02:00+00:00'),
    (
        4, 'waiting_timer - - 2030-01-01T01:02:00+00:00 - 2030-01-01T00:00:10+00:00 2030-01-01T00:00:00+00:00'
        ' 2030-01-01T00:02:01+00:00'
    ),
    (
        5, 'waiting_signal - - 2030-01-01T01:02:00+00:00 - 2030-01-01T00:02:10+00:00 2030-01-01T00:00:00+00:00'
        ' 2030-01-01T00:02:10+00:00'
    ),
    (
        6, 'waiting_timer - - 2030-01-01T01:02:00+00:00 - 2030-01-01T02:00:00+00:00 2030-01-01T00:00:00+00:00'
        ' 2030-01-01T01:02:00+00:00'
    ),
    (7, 'waiting_signal - - 2030-01-01T01:02:00+00:00 - - 2030-01-01T00:00:00+00:00 2030-01-01T01:02:00+00:00')
) as s (step_id, shown)
order by s.step_id;
select is(tenure.resume(1), 0, 'What is not paused, is not resumed');
select is(shown(1, 'deadline_at'), '2030-01-01T01:02:00+00:00', 'And its clocks stay');
select is(swept(), '0 reclaimed, 0 timed out, 0 discarded, 1 woken', 'The sleep that came due fires at once: R-115');
select is(take(), 4::bigint, 'What is due can be claimed: steps 1, 2, 3 and 4');
select set_clock('2 m 9.999999 s');
select is(swept(), '0 reclaimed, 0 timed out, 0 discarded, 0 woken', 'The signal wait has its full time: R-114');
select set_clock('2 m 10 s');
select is(swept(), '0 reclaimed, 0 timed out, 0 discarded, 1 woken', 'And times out when that has passed: R-114');

-- Signals of the meantime.
alter sequence tenure_private.step_id_seq restart with 20;
select tenure.enqueue('job');
select take();
select tenure.wait_signal(20, 'w', 1, 'go', '10 s');
select tenure.pause(20);
select tenure.signal(20, 'go', '1');
select tenure.signal(20, 'go', '2');
select set_clock('1 h');
select is(tenure.resume(20), 1, 'A run with signals kept');
select is(shown(20, 'state', 'due_at', 'alarm_at'), 'available - -', 'goes on with the first of them: R-116');
select is(
    (select c.signal ->> 'payload' from tenure.claim(array['default'], 'w', 1, '1 m', array['job']) as c), '1',
    'Which arrived: R-116'
);
select is((select count(*) from tenure_private.signal as s where s.run_id = 20), 1::bigint, 'The other is kept: R-122');

-- A running step whose run is paused and resumed never notices.
select tenure.enqueue('job', deadline => '1 h');
select take();
select tenure.pause(21);
select set_clock('1 h 30 s');
select is(tenure.resume(21), 0, 'A running step was not paused');
select tenure.release(21, 'w', 1);
select is(shown(21, 'state', 'deadline_at'), 'available 2030-01-01T02:00:00+00:00', 'And is not after: R-113');

-- Paused by its own verdict: from then on.
select tenure.enqueue('job', deadline => '1 h');
select take();
select tenure.pause(22);
select set_clock('1 h 50 s');
select tenure.release(22, 'w', 1);
select set_clock('1 h 60 s');
select is(tenure.resume(22), 1, 'A step that became paused by its own release');
select is(shown(22, 'deadline_at'), '2030-01-01T02:00:40+00:00', 'stood only from then on: R-114');

-- A clock that was set back meanwhile.
select tenure.enqueue('job', deadline => '1 h');
select tenure.pause(23);
select set_clock('0');
select tenure.resume(23);
select is(shown(23, 'deadline_at'), '2030-01-01T02:01:00+00:00', 'No pause shortens a limit');

-- The whole run.
select tenure.enqueue('flow');
select add_child(24, 500, '{"state": "pending", "deadline_at": "2030-01-01T01:00:00+00:00"}');
select add_child(24, 501, '{"state": "waiting_steps"}');
select tenure.pause(24);
select set_clock('1 m');
select is(tenure.resume(24), 3, 'Every paused step of it: R-112');
select is(
    format('%s, %s', shown(500, 'state', 'deadline_at', 'alarm_at'), shown(501, 'state')),
    'pending 2030-01-01T01:01:00+00:00 2030-01-01T01:01:00+00:00, waiting_steps', 'goes back to what it was'
);

-- No other run.
select tenure.enqueue('another flow');
select add_child(25, 600, '{"state": "pending"}');
select add_child(25, 601, '{"state": "running", "lease_owner": "w", "lease_expiry": "2030-01-01T01:00:00+00:00"}');
select tenure.pause(25);
select add_child(24, 502, '{"state": "running", "lease_owner": "w", "lease_expiry": "2030-01-01T01:00:00+00:00"}');
select tenure.pause(24);
select is(tenure.resume(24), 3, 'What was paused of one');
select is(shown(502, 'pausing'), 'false', 'What runs of it goes on: R-113');
select is(
    format('%s %s %s', shown(25, 'state'), shown(600, 'state'), shown(601, 'pausing')), 'paused paused true',
    'Nothing of other runs is touched: R-112'
);
select throws_ok('select tenure.resume(999)', 'TN001', null, 'An unknown id is refused');
select throws_ok('select tenure.resume(null)', 'TN001', null, 'NULL too');
select throws_ok('select tenure.resume(500)', 'TN002', null, 'And a child''s');

select * from finish();
rollback;
