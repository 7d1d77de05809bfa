begin;
select plan(50);
\ir ../session.psql
\ir ../steps.psql

-- In every state that is not terminal.
select tenure.enqueue(n.name, delay => n.delay)
from (
    values
    (1, 'available', interval '0'),
    (2, 'scheduled', '1 day'),
    (3, 'running', '0'),
    (4, 'backoff', '0'),
    (5, 'sleeping', '0'),
    (6, 'waiting', '0'), (7, 'paused', '0'), (8, 'paused asleep', '0')
) as n (n, name, delay)
order by n.n;
select count(*)
from
    tenure.claim(
        array['default'], 'w', 10, names => array['running', 'backoff', 'sleeping', 'waiting', 'paused asleep']
    );
select tenure.fail(4, 'w', 1, '{"type": "E"}', retry_after => '1 h');
select tenure.sleep(5, 'w', 1, '1 h');
select tenure.wait_signal(6, 'w', 1, 'go');
select tenure.sleep(8, 'w', 1, '1 h');
select tenure.pause(s.step_id) from unnest(array[7, 8]) as s (step_id);
select set_clock('5 s');
select
    is(
        tenure.cancel(s.step_id, 'no more'),
        1,
        format('cancel ends a step that is %s: R-100', shown(s.step_id, 'state'))
    )
from generate_series(1, 8) as s (step_id);
select
    is(
        shown(s.step_id, 'state', 'attempt', 'finished_at', 'cancel_reason', 'paused_state', 'alarm_at', 'lease_owner'),
        format('cancelled %s 2030-01-01T00:00:05+00:00 no more - - -', case s.step_id when 4 then 2 else 1 end),
        format(
            '%s: cancelled, no attempt consumed, the reason kept, no alarm left: R-011, R-012, R-069',
            shown(s.step_id, 'name')
        )
    )
from generate_series(1, 8) as s (step_id);
select is(shown(3, 'error', 'error_kind'), '- -', 'A cancel stores no error: R-069');
select is(logged(3), '1 by w/1 at 00:00:05: cancelled', 'The attempt that it cut short is in the log');
select is(logged(5), '1 by w/1 at 00:00:05: cancelled', 'So is one that slept');
select is(logged(1), null, 'Where none had begun, there is none');
select is(tenure.cancel(1), 0, 'Once over, it is over: R-101');
select is(shown(1, 'cancel_reason'), 'no more', 'And nothing changes: R-101');

-- Nothing comes back.
select is(tenure.signal(6, 'go'), 'over', 'No signal reaches it');
select set_clock('2 days');
select is(swept(), '0 reclaimed, 0 timed out, 0 discarded, 0 woken', 'No timer or lease of it rings');
select is(take(), 0::bigint, 'It is not claimed again');
select is((select r.in_flight from tenure.run_status as r where r.run_id = 3), 0::bigint, 'The body''s lease ran out');
select is(tenure.resume(7), 0, 'Nor does resume bring it back');
select throws_ok('select tenure.retry(1)', 'TN010', null, 'Nor retry: R-105');

-- The worker that runs it.
select set_clock('0');
select tenure.enqueue('job', timeout => '1 m');
select take();
select tenure.cancel(9, 'stop');
select is((tenure.status(9)).in_flight, 1::bigint, 'Its body may still run: R-098');
select is(shown(9, 'lease_owner', 'lease_expiry'), '- -', 'Though the lease is not shown: R-009');
select is((tenure.heartbeat(9, 'w', 1)).verdict, 'cancelled', 'The heartbeat tells: R-041, R-103');
select is(tenure.complete(9, 'x', 1), 'cancelled', 'Anyone else''s report hears it too: R-049');
select is((tenure.status(9)).in_flight, 1::bigint, 'And does not count for the worker''s');
select is(tenure.complete(9, 'w', 1, '1'), 'cancelled', 'So does the report: R-103');
select is((tenure.status(9)).in_flight, 0::bigint, 'After which nothing is in flight: R-098');
select is(shown(9, 'state', 'output'), 'cancelled -', 'A late success is none: R-011');
select is(tenure.fail(9, 'w', 1, '{}'), 'cancelled', 'Nor a late failure a retry');
select tenure.enqueue('job', on_timeout => 'wait');
select take();
select is(tenure.cancel(10), 1, 'Cancel does not wait for a body: R-097');
select tenure.enqueue('job');
select take();
select tenure.complete(11, 'w', 1, '1');
select is(tenure.cancel(11, 'late'), 0, 'What is complete stays complete: R-101');
select is(shown(11, 'state', 'output', 'cancel_reason'), 'completed 1 -', 'With what it had: R-011');

-- A tree goes in one transaction.
select tenure.enqueue('flow');
select add_child(12, 700, '{"state": "available"}');
select add_child(12, 701, '{"state": "pending"}');
select add_child(12, 702, '{"state": "paused", "paused_state": "waiting_timer"}');
select add_child(12, 703, '{"state": "completed", "finished_at": "2030-01-01T00:00:00+00:00"}');
select add_child(12, 704, '{"state": "waiting_steps", "parent_id": 700}');
select is(tenure.cancel(12, 'all'), 5, 'Everything under a run that has not ended: R-100');
select results_eq(
    $$ select s.step_id, s.state collate "default", s.cancel_reason from tenure.step_status as s
       where s.run_id = 12 order by s.step_id $$,
    $$ values (12::bigint, 'cancelled', 'all'), (700, 'cancelled', 'all'), (701, 'cancelled', 'all'),
        (702, 'cancelled', 'all'), (703, 'completed', null), (704, 'cancelled', 'all') $$,
    'And what had ended stays as it was: R-011, R-100'
);

select tenure.enqueue('another flow');
select add_child(13, 800, '{"state": "pending"}');
select is(tenure.cancel(12), 0, 'Over, with all under it: R-101');
select is(tenure.cancel(tenure.enqueue('a third')), 1, 'Another run');
select is(
    format('%s %s', shown(13, 'state'), shown(800, 'state')), 'available pending',
    'Nothing of other runs is touched: R-100'
);

-- Refused.
select throws_ok('select tenure.cancel(999)', 'TN001', null, 'An unknown id is refused: R-102');
select throws_ok('select tenure.cancel(null)', 'TN001', null, 'NULL too');
select throws_ok('select tenure.cancel(700)', 'TN002', null, 'And a child''s: R-102');
select is(tenure.cancel(tenure.enqueue('x')), 1, 'No reason need be given');
select tenure.cancel(tenure.enqueue('y'), repeat('é', 20000));
select is(
    (select length(s.cancel_reason) from tenure.step_status as s where s.name = 'y'), 10000,
    'A reason of any length is taken, and cut'
);

select * from finish();
rollback;
