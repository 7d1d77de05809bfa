begin;
select plan(12);
\ir ../session.psql
\ir ../steps.psql
select tenure.define_step('t', max_attempts => 2, backoff => '{"kind": "fixed", "base": 10, "jitter": 0}');

select tenure.enqueue('t', progress_timeout => '20 s');
select take('w', '300 s');
select set_clock('15 s');
select is((tenure.heartbeat(1, 'w', 1, '{"done": 1}')).verdict, 'renewed', 'Progress at 15 s');
select set_clock('30 s');
select is((tenure.heartbeat(1, 'w', 1)).verdict, 'renewed', 'A beat without progress at 30 s');
select set_clock('34.999999 s');
select is(swept(), '0 reclaimed, 0 timed out, 0 discarded, 0 woken', 'It counts from the last progress: R-020');
select set_clock('35 s');
select is(swept(), '0 reclaimed, 1 timed out, 0 discarded, 0 woken', 'A renewed lease is no progress: R-020, R-021');
select is(
    shown(1),
    '{"state": "available", "attempt": 2, "due": "00:00:45", "reclaims": 0, "releases": 0, "kind": "progress",
      "error": {"type": "LimitPassed", "kind": "progress", "message": "step t passed its progress_timeout",
                "step": "t", "limit": 20, "layer": "progress_timeout"}}',
    'A progress timeout consumes the attempt: R-063'
);
select is(logged(1), '1 by w/1 at 00:00:35: progress', 'The attempt is logged');

-- The progress of the first attempt is none of the second.
select set_clock('60 s');
select take('w', '300 s');
select set_clock('79.999999 s');
select is(swept(), '0 reclaimed, 0 timed out, 0 discarded, 0 woken', 'It counts from the new claim: R-020');
select is((tenure.heartbeat(1, 'w', 2)).verdict, 'renewed', 'A heartbeat finds the same: R-020');
select set_clock('80 s');
select is(swept(), '0 reclaimed, 1 timed out, 1 discarded, 0 woken', 'Without any progress it times out');
select is(shown(1) -> 'attempt', '2', 'The last attempt stays its number: R-003');
select is(shown(1) ->> 'state', 'discarded', 'A progress timeout of the last attempt discards: R-063');
select is(shown(1) ->> 'kind', 'progress', 'Its kind is progress');

select * from finish();
rollback;
