begin;
select plan(13);
\ir ../session.psql
\ir ../steps.psql

select tenure.enqueue('t', backoff => '{"kind": "fixed", "base": 0, "jitter": 0}') from generate_series(1, 2);
select take();
select tenure.fail(1, 'w', 1, '{"type": "E", "message": "first"}');
select take();
select set_clock('5 s');
select is(tenure.sleep(1, 'w', 2, '20 s'), 'sleeping', 'Asleep');
select is(
    shown(1),
    '{"state": "waiting_timer", "attempt": 2, "due": "00:00:00", "reclaims": 0, "releases": 0, "kind": "retryable",
      "error": {"type": "E", "message": "first"}}',
    'A sleep consumes no attempt and stores no error: R-073'
);
select is(tenure.wait_signal(2, 'w', 1, 'go', timeout => '30 s'), 'waiting', 'Waiting');
select is(
    shown(2), '{"state": "waiting_signal", "attempt": 1, "due": "00:00:00", "reclaims": 0, "releases": 0}',
    'A signal wait consumes no attempt and stores no error: R-074'
);
select is(logged(2), null, 'It is no attempt that ended: R-074');
select is(take(), 0::bigint, 'Neither can be claimed');

select set_clock('24.999999 s');
select is(swept(), '0 reclaimed, 0 timed out, 0 discarded, 0 woken', 'Before the sleep is over: R-084');
select set_clock('25 s');
select is(swept(), '0 reclaimed, 0 timed out, 0 discarded, 1 woken', 'At its end it is woken: R-084, R-088');
select is(
    shown(1),
    '{"state": "available", "attempt": 2, "due": "00:00:00", "reclaims": 0, "releases": 0, "kind": "retryable",
      "error": {"type": "E", "message": "first"}}',
    'The same attempt, due at once, in its old place in line: R-117'
);
select set_clock('35 s');
select is(swept(), '0 reclaimed, 0 timed out, 0 discarded, 1 woken', 'The signal wait times out: R-084, R-125');
select is(take(), 2::bigint, 'Both go on: R-117');

-- Executions without end: what a step that sleeps in a loop leaves behind.
update tenure_private.step set lease_generation = 40000 where step_id = 1;
select is(tenure.sleep(1, 'w', 40000, '0', 'again'), 'sleeping', 'The 40,000th sleep');
select swept();
select take();
select is(tenure.complete(1, 'w', 40001), 'completed', 'Is as good as the first: R-077');

select * from finish();
rollback;
