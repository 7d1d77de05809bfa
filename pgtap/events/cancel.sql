begin;
select plan(9);
\ir ../session.psql
\ir ../steps.psql
select tenure.define_step('t', backoff => '{"kind": "fixed", "base": 10, "jitter": 0}');

select tenure.enqueue('t') from generate_series(1, 2);
select take();
select tenure.fail(2, 'w', 1, '{"type": "E", "message": "first"}');
select set_clock('5 s');
select is(tenure.cancel(1, 'not needed'), 1, 'One step is cancelled');
select is(
    shown(1), '{"state": "cancelled", "attempt": 1, "due": "00:00:00", "reclaims": 0, "releases": 0}',
    'A cancel consumes no attempt and stores no error: R-069'
);
select is(
    (select s.cancel_reason from tenure.step_status as s where s.step_id = 1), 'not needed', 'The reason is kept: R-069'
);
select is(logged(1), '1 by w/1 at 00:00:05: cancelled', 'What ran is logged');
select is((tenure.status(1)).finished_at, '2030-01-01 00:00:05+00', 'It ended at the cancel: R-012');

select is(tenure.cancel(2), 1, 'A step in backoff is cancelled');
select is(
    shown(2),
    '{"state": "cancelled", "attempt": 2, "due": "00:00:10", "reclaims": 0, "releases": 0, "kind": "retryable",
      "error": {"type": "E", "message": "first"}}',
    'The error that was there stays: R-069'
);
select set_clock('1 h');
select is(swept(), '0 reclaimed, 0 timed out, 0 discarded, 0 woken', 'No sweep moves it any more: R-011');
select is(take(), 0::bigint, 'No claim takes it: R-011');

select * from finish();
rollback;
