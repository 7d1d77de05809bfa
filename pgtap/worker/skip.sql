begin;
select plan(11);
\ir ../session.psql
\ir ../steps.psql

select tenure.enqueue('t', backoff => '{"kind": "fixed", "base": 0, "jitter": 0}') from generate_series(1, 3);
select take();
select tenure.fail(1, 'w', 1, '"first"');
select take();
select set_clock('5 s');
select is(tenure.skip(1, 'w', 2, 'nothing to do'), 'skipped', 'Skipped: R-055');
select is(
    shown(1), '{"state": "skipped", "attempt": 2, "due": "00:00:00", "reclaims": 0, "releases": 0}',
    'An earlier error is cleared: R-055'
);
select is(
    (
        select format('%s|%s|%s|%s', s.skip_reason, s.cancel_reason, s.finished_at, s.output)
        from tenure.step_status as s
        where s.step_id = 1
    ),
    'nothing to do||2030-01-01 00:00:05+00|', 'Its reason is kept: R-055, R-012'
);
select is(tenure.skip(2, 'w', 1), 'skipped', 'No reason is needed');
select is(tenure.skip(2, 'w', 1, 'another reason'), 'skipped', 'The same report again: R-050');
select is(tenure.complete(2, 'w', 1), 'stale', 'Another verb: R-051');
select is(tenure.skip(3, 'v', 1, 'r'), 'stale', 'Without the lease: R-049');
select throws_ok($$select tenure.skip(null, 'w', 1, 'r')$$, 'TN007', null, 'No step');
select throws_ok($$select tenure.skip(3, '', 1, 'r')$$, 'TN005', null, 'An empty owner: R-147');
select is(tenure.skip(3, 'w', 1, repeat('r', 1000000)), 'skipped', 'A reason without end');
select is(
    (select length(s.skip_reason) from tenure.step_status as s where s.step_id = 3), 10000, 'Is cut, never refused'
);

select * from finish();
rollback;
