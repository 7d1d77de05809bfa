begin;
select plan(19);
\ir ../session.psql
\ir ../steps.psql

-- 1 has failed once before, so that there is an error that must stand.
select tenure.enqueue('t', max_reclaims => 2, backoff => '{"kind": "fixed", "base": 0, "jitter": 0}');
select take('w', '30 s');
select tenure.fail(1, 'w', 1, '{"type": "E", "message": "first"}');
select set_clock('10 s');
select take('w', '30 s');
select set_clock('40 s');
select is(swept(), '0 reclaimed, 0 timed out, 0 discarded, 0 woken', 'At its expiry a lease still holds: R-014');
select set_clock('40.000001 s');
select is(swept(), '1 reclaimed, 0 timed out, 0 discarded, 0 woken', 'Past it the step is reclaimed: R-014, R-088');
select is(
    shown(1),
    '{"state": "available", "attempt": 2, "due": "00:00:00", "reclaims": 1, "releases": 0, "kind": "retryable",
      "error": {"type": "E", "message": "first"}}',
    'No attempt consumed, no error stored, scheduled_at untouched: R-070'
);
select is(logged(1), '1 by w/1 at 00:00:00: retryable', 'It is no attempt that ended: R-070');
select is(take('w2', '30 s'), 1::bigint, 'It is due at once: R-070');
select is(tenure.complete(1, 'w', 2), 'stale', 'The old owner is fenced');
select set_clock('80 s');
select is(swept(), '1 reclaimed, 0 timed out, 0 discarded, 0 woken', 'Reclaimed a second time');
select is(take('w3', '30 s'), 1::bigint, 'And claimed a third');
select set_clock('120 s');
select is(swept(), '0 reclaimed, 0 timed out, 1 discarded, 0 woken', 'max_reclaims are used up: R-071');
select is(
    shown(1),
    '{"state": "discarded", "attempt": 2, "due": "00:00:00", "reclaims": 2, "releases": 0, "kind": "reclaim_limit",
      "error": {"type": "ReclaimLimit", "kind": "reclaim_limit", "step": "t",
                "message": "the lease of step t expired after 2 reclaims"}}',
    'Discarded, reclaims unchanged: R-071'
);
select is(
    logged(1), '1 by w/1 at 00:00:00: retryable, 2 by w3/4 at 00:02:00: reclaim_limit', 'Now the attempt has ended'
);

-- No bound, one of none at all, and the default of ten.
select tenure.enqueue('t', max_reclaims => -1);
select tenure.enqueue('t', max_reclaims => 0);
select tenure.enqueue('t');
update tenure_private.step set reclaims = 1000000 where step_id = 2;
update tenure_private.step set reclaims = 9 where step_id = 4;
select take('w', '30 s');
select set_clock('200 s');
select is(swept(), '2 reclaimed, 0 timed out, 1 discarded, 0 woken', 'Two of three are reclaimed');
select is(shown(2) -> 'reclaims', '1000001', 'Without a bound it goes on: R-071');
select is(shown(3) ->> 'kind', 'reclaim_limit', 'max_reclaims 0 allows none: R-071');
select is(shown(3) -> 'reclaims', '0', 'It was not reclaimed');
select is(shown(4) -> 'reclaims', '10', 'By default the tenth is allowed');
select take('w', '30 s');
select set_clock('300 s');
select is(swept(), '1 reclaimed, 0 timed out, 1 discarded, 0 woken', 'But not the eleventh');
select is(shown(4) ->> 'kind', 'reclaim_limit', 'It has the kind of its own: R-071');

-- A worker that is not known at all counts as dead like any other: nobody said hello here.
select is((select count(*) from tenure.worker_status), 0::bigint, 'The lease alone decides, not a list of workers');

select * from finish();
rollback;
