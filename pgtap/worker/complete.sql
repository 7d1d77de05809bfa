begin;
select plan(24);
\ir ../session.psql
\ir ../steps.psql

select tenure.enqueue('t', backoff => '{"kind": "fixed", "base": 0, "jitter": 0}') from generate_series(1, 5);
select take();
select tenure.fail(1, 'w', 1, '{"type": "E", "message": "first"}');
select take();
select set_clock('5 s');
select is(tenure.complete(1, 'w', 2, '{"sum": 3}'), 'completed', 'Completed: R-053');
select is(
    shown(1), '{"state": "completed", "attempt": 2, "due": "00:00:00", "reclaims": 0, "releases": 0}',
    'The earlier attempt''s error is cleared: R-053'
);
select is(logged(1), '1 by w/1 at 00:00:00: retryable', 'But stays in the log');
select is(
    (
        select format('%s %s %s %s', s.output, s.finished_at, s.started_at, s.heartbeat_at)
        from tenure.step_status as s
        where s.step_id = 1
    ),
    '{"sum": 3} 2030-01-01 00:00:05+00 2030-01-01 00:00:00+00 2030-01-01 00:00:00+00',
    'Output, and when it ended; the rest stays: R-053, R-010, R-012'
);
select is(
    (select format('%s|%s', s.lease_owner, s.lease_expiry) from tenure.step_status as s where s.step_id = 1), '|',
    'No lease any more: R-009'
);
select is(
    (select s.alarm_at from tenure_private.step as s where s.step_id = 1), null, 'And no alarm: R-011'
);
select is(tenure.complete(2, 'w', 1), 'completed', 'Without an output');
select is((tenure.status(2)).output, null, 'None is stored');
select is(tenure.complete(3, 'w', 1, 'null'), 'completed', 'JSON null');
select is((tenure.status(3)).output, 'null'::jsonb, 'Is an output');

-- The same report again, and other ones.
select is(tenure.complete(1, 'w', 2, '{"sum": 4}'), 'completed', 'The same report again has the same verdict: R-050');
select is((tenure.status(1)).output, '{"sum": 3}'::jsonb, 'But changes nothing: R-050');
select is(tenure.complete(1, 'w', 1), 'stale', 'Not that of an older generation: R-051');
select is(tenure.complete(1, 'v', 2), 'stale', 'Nor that of another owner: R-051');
select is(tenure.fail(1, 'w', 2, '"e"'), 'stale', 'Nor another verb: R-051');

-- Guards.
select is(tenure.complete(4, 'v', 1), 'stale', 'Another owner: R-048, R-049');
select is(tenure.complete(4, 'w', 2), 'stale', 'Another generation: R-048, R-049');
select is(tenure.complete(999, 'w', 1), 'stale', 'A step that is not there: R-049');
select is((tenure.status(4)).state, 'running', 'It runs on: R-048');

-- Errors.
select throws_ok($$select tenure.complete(null, 'w', 1)$$, 'TN007', null, 'No step');
select throws_ok($$select tenure.complete(4, null, 1)$$, 'TN005', null, 'No owner: R-147');
select throws_ok($$select tenure.complete(4, 'w', null)$$, 'TN007', null, 'No generation');
select throws_ok(
    $$select tenure.complete(4, 'w', 1, to_jsonb(repeat('x', 16777217)))$$, 'TN008', null, 'Over 16 MB: R-149'
);
select is(
    tenure.complete(4, 'w', 1, to_jsonb(repeat('x', 16777100))), 'completed', 'After which it still runs: R-145, R-149'
);

select * from finish();
rollback;
