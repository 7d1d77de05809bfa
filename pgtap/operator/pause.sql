begin;
select plan(46);
\ir ../session.psql
\ir ../steps.psql

-- Whatever does not run, becomes paused.
select tenure.enqueue(n.name, delay => n.delay, deadline => '1 h')
from (
    values
    (1, 'available', interval '0'),
    (2, 'scheduled', '1 day'),
    (3, 'backoff', '0'),
    (4, 'sleeping', '0'),
    (5, 'waiting', '0')
) as n (n, name, delay)
order by n.n;
select count(*) from tenure.claim(array['default'], 'w', 10, '1 m', array['backoff', 'sleeping', 'waiting']);
select tenure.fail(3, 'w', 1, '{"type": "E"}', retry_after => '10 s');
select tenure.sleep(4, 'w', 1, '10 s');
select tenure.wait_signal(5, 'w', 1, 'go', '10 s');
create temporary table states as
select
    s.step_id,
    s.state
from tenure.step_status as s;
select set_clock('1 s');
select is(tenure.pause(s.step_id), 1, format('Pausing the run of a step that is %s: R-112', s.state))
from states as s order by s.step_id;
select
    is(
        shown(s.step_id, 'state', 'paused_state', 'paused_at', 'alarm_at'),
        format('paused %s 2030-01-01T00:00:01+00:00 -', s.state),
        'It is paused, knows from where, and has no alarm: R-112'
    )
from states as s order by s.step_id;
select is(tenure.pause(1), 0, 'Paused already: nothing more became paused');
select is(shown(1, 'paused_at'), '2030-01-01T00:00:01+00:00', 'And its pause began when it did');
select set_clock('2 days');
select is(take(), 0::bigint, 'It is not claimed: R-112');
select is(swept(), '0 reclaimed, 0 timed out, 0 discarded, 0 woken', 'No limit or timer of it rings: R-018, R-112');
select is(tenure.signal(5, 'go'), 'kept', 'Signals are kept: R-116');

-- A running step goes on.
select set_clock('0');
alter sequence tenure_private.step_id_seq restart with 10;
select tenure.enqueue('job', timeout => '5 s', deadline => '1 h', max_attempts => 2) from generate_series(1, 9);
select take();
select is(tenure.pause(s.step_id), 0, 'A running step does not become paused: R-113')
from generate_series(10, 10) as s (step_id);
select tenure.pause(s.step_id) from generate_series(11, 18) as s (step_id);
select is(shown(10, 'state'), 'running', 'It runs on');
select is((tenure.heartbeat(10, 'w', 1)).verdict, 'renewed', 'Its lease is renewed');
select set_clock('1 s');
select is(tenure.complete(10, 'w', 1, '1'), 'completed', 'complete lands: R-113');
select is(shown(10, 'state', 'paused_state'), 'completed -', 'It has ended');
select is(tenure.skip(11, 'w', 1), 'skipped', 'So does skip');
select is(tenure.fail(12, 'w', 1, '{}', 'permanent'), 'discarded', 'And a permanent fail');
select is(tenure.fail(13, 'w', 1, '{"type": "E"}', retry_after => '1 m'), 'retrying', 'A failure lands: R-113');
select is(
    shown(13, 'state', 'paused_state', 'paused_at', 'attempt', 'scheduled_at', 'alarm_at'),
    'paused available 2030-01-01T00:00:01+00:00 2 2030-01-01T00:01:01+00:00 -', 'And leaves the step paused: R-113'
);
select is(tenure.release(14, 'w', 1), 'released', 'A release lands');
select is(shown(14, 'state', 'paused_state', 'releases'), 'paused available 1', 'And leaves it paused');
select is(tenure.sleep(15, 'w', 1, '1 m'), 'sleeping', 'A sleep lands');
select
    is(
        shown(15, 'state', 'paused_state', 'due_at'),
        'paused waiting_timer 2030-01-01T00:01:01+00:00',
        'And leaves it paused'
    );
select is(tenure.wait_signal(16, 'w', 1, 'go'), 'waiting', 'A wait lands');
select is(shown(16, 'state', 'paused_state'), 'paused waiting_signal', 'And leaves it paused');
select set_clock('5 s');
select is(swept(), '0 reclaimed, 2 timed out, 0 discarded, 0 woken', 'Limits of running steps count: R-018');
select is(shown(17, 'state', 'paused_state', 'attempt'), 'paused available 2', 'What times out becomes paused: R-113');
select is(tenure.release(13, 'w', 1), 'stale', 'Nothing else is changed of a paused step');
select is(take(), 0::bigint, 'None of them is claimed');

-- A lease that ends while paused.
alter sequence tenure_private.step_id_seq restart with 30;
select tenure.enqueue('crash');
select take();
select tenure.pause(30);
select set_clock('2 m');
select is(swept(), '1 reclaimed, 0 timed out, 0 discarded, 0 woken', 'A crash is noticed');
select is(shown(30, 'state', 'paused_state', 'reclaims'), 'paused available 1', 'And leaves it paused: R-113');

-- The whole run, and what has ended of it.
select tenure.enqueue('flow');
select add_child(31, 500, '{"state": "pending"}');
select add_child(31, 501, '{"state": "completed", "finished_at": "2030-01-01T00:00:00+00:00"}');
select add_child(31, 502, '{"state": "running", "lease_owner": "w", "lease_expiry": "2030-01-01T01:00:00+00:00"}');
select is(tenure.pause(31), 2, 'Every step of it that has not ended and does not run: R-112');
select is(
    format('%s %s %s', shown(500, 'state'), shown(501, 'state'), shown(502, 'state')),
    'paused completed running',
    'and no other'
);

select is(shown(502, 'pausing'), 'true', 'What runs of it will be: R-113');
select is(shown(501, 'pausing'), 'false', 'What has ended will not');
select tenure.enqueue('another flow');
select add_child(32, 600, '{"state": "pending"}');
select add_child(32, 601, '{"state": "running", "lease_owner": "w", "lease_expiry": "2030-01-01T01:00:00+00:00"}');
select tenure.pause(tenure.enqueue('a third'));
select is(
    format('%s %s %s', shown(32, 'state', 'pausing'), shown(600, 'state', 'pausing'), shown(601, 'state', 'pausing')),
    'available false pending false running false', 'Nothing of other runs is touched: R-112'
);

select is(tenure.pause(10), 0, 'A run that is over has nothing to pause');
select is(shown(10, 'state'), 'completed', 'And stays over: R-011');
select throws_ok('select tenure.pause(999)', 'TN001', null, 'An unknown id is refused');
select throws_ok('select tenure.pause(null)', 'TN001', null, 'NULL too');
select throws_ok('select tenure.pause(500)', 'TN002', null, 'And a child''s');

select * from finish();
rollback;
