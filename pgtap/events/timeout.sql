begin;
select plan(12);
\ir ../session.psql
\ir ../steps.psql

-- Claimed at 0 with a lease of 60 s: it is the timeout that comes first.
select tenure.enqueue(
    't', timeout => '20 s', max_attempts => 2, backoff => '{"kind": "fixed", "base": 10, "jitter": 0}'
);
select take();
select set_clock('19.999999 s');
select is(swept(), '0 reclaimed, 0 timed out, 0 discarded, 0 woken', 'Before its limit nothing happens: R-084');
select is(
    shown(1), '{"state": "running", "attempt": 1, "due": "00:00:00", "reclaims": 0, "releases": 0}', 'It runs: R-014'
);

select set_clock('20 s');
select is(swept(), '0 reclaimed, 1 timed out, 0 discarded, 0 woken', 'At its limit it is timed out: R-014, R-088');
select is(
    shown(1),
    '{"state": "available", "attempt": 2, "due": "00:00:30", "reclaims": 0, "releases": 0, "kind": "timeout",
      "error": {"type": "LimitPassed", "kind": "timeout", "message": "step t passed its timeout", "step": "t",
                "limit": 20, "layer": "timeout"}}',
    'A timeout consumes the attempt; the next is due after the backoff: R-062'
);
select is(logged(1), '1 by w/1 at 00:00:20: timeout', 'The attempt is logged');

select set_clock('30 s');
select is(take(), 1::bigint, 'After the backoff it is claimed again');
select set_clock('49.999999 s');
select swept();
select is((shown(1)) ->> 'state', 'running', 'The limit counts from the new claim: R-015');
select set_clock('50 s');
select is(swept(), '0 reclaimed, 1 timed out, 1 discarded, 0 woken', 'The last timeout counts as both: R-088');
select is(
    shown(1),
    '{"state": "discarded", "attempt": 2, "due": "00:00:30", "reclaims": 0, "releases": 0, "kind": "timeout",
      "error": {"type": "LimitPassed", "kind": "timeout", "message": "step t passed its timeout", "step": "t",
                "limit": 20, "layer": "timeout"}}',
    'A timeout of the last attempt discards: R-062, R-003'
);

-- A worker that beats is timed out as one that does not.
select tenure.enqueue('t', timeout => '20 s', backoff => '{"kind": "fixed", "base": 10, "jitter": 0}');
select take();
select set_clock('69 s');
select is((tenure.heartbeat(2, 'w', 1)).verdict, 'renewed', 'Its worker beats');
select set_clock('70 s');
select swept();
select is((shown(2)) ->> 'kind', 'timeout', 'The sweep times it out all the same: R-085');
select is(tenure.complete(2, 'w', 1), 'stale', 'Its late success is none: R-094');

select * from finish();
rollback;
