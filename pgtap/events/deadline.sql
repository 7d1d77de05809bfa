begin;
select plan(21);
\ir ../session.psql
\ir ../steps.psql
select tenure.define_step('t', deadline => '100 s', backoff => '{"kind": "fixed", "base": 500, "jitter": 0}');

-- One step in each state but paused, all made at 0; 6 has failed once and backs off, 7 is not due yet.
select tenure.enqueue('t') from generate_series(1, 6);
select is(take(), 6::bigint, 'Six are claimed');
select tenure.enqueue('t', delay => '200 s');
select tenure.release(2, 'w', 1);
select tenure.sleep(3, 'w', 1, '1 h');
select tenure.wait_signal(4, 'w', 1, 'go');
select tenure.complete(5, 'w', 1);
select is(
    tenure.fail(6, 'w', 1, '{"type": "E", "message": "first"}'), 'retrying',
    'A backoff beyond the deadline answers retrying: R-083'
);
select set_clock('50 s');
select tenure.heartbeat(1, 'w', 1);
select set_clock('99.999999 s');
select is(swept(), '0 reclaimed, 0 timed out, 0 discarded, 0 woken', 'Before the deadline nothing happens: R-014');
select is(take(), 1::bigint, 'What is due can still be claimed');
select tenure.release(2, 'w', 2);
select set_clock('100 s');
select is(take(), 0::bigint, 'At the deadline nothing can be claimed, unswept: R-033');
select is(swept(), '0 reclaimed, 0 timed out, 6 discarded, 0 woken', 'The sweep discards in every state: R-018, R-064');

select is(
    shown(1),
    '{"state": "discarded", "attempt": 1, "due": "00:00:00", "reclaims": 0, "releases": 0, "kind": "deadline",
      "error": {"type": "LimitPassed", "kind": "deadline", "message": "step t passed its deadline", "step": "t",
                "limit": 100, "layer": "deadline"}}',
    'A running step is discarded: R-064'
);
select is(logged(1), '1 by w/1 at 00:01:40: deadline', 'The attempt that ran is logged');
select is(shown(2) ->> 'state', 'discarded', 'Available: R-064');
select is(shown(2) -> 'releases', '2', 'Its counters stay');
select is(shown(3) ->> 'state', 'discarded', 'Asleep: R-064');
select is(shown(4) ->> 'state', 'discarded', 'Waiting for a signal: R-064');
select is(shown(5) ->> 'state', 'completed', 'One that had ended stays: R-011');
select is(
    shown(6),
    '{"state": "discarded", "attempt": 2, "due": "00:08:20", "reclaims": 0, "releases": 0, "kind": "deadline",
      "error": {"type": "LimitPassed", "kind": "deadline", "message": "step t passed its deadline", "step": "t",
                "limit": 100, "layer": "deadline", "cause": {"type": "E", "message": "first"}}}',
    'Backing off: the last attempt''s error is the cause: R-064, R-083'
);
select is(logged(6), '1 by w/1 at 00:00:00: retryable', 'No attempt is logged that did not run');
select is(shown(7) ->> 'state', 'discarded', 'Not yet due: R-064');
select is(shown(7) -> 'attempt', '1', 'No attempt is consumed: R-064');
select is(
    (select array_agg(s.finished_at::text order by s.step_id) from tenure.step_status as s),
    array[
        '2030-01-01 00:01:40+00', '2030-01-01 00:01:40+00', '2030-01-01 00:01:40+00', '2030-01-01 00:01:40+00',
        '2030-01-01 00:00:00+00', '2030-01-01 00:01:40+00', '2030-01-01 00:01:40+00'
    ],
    'Each tells when it ended: R-012'
);

-- Paused, the deadline stands still.
select tenure.enqueue('t');
select tenure.pause(8);
select set_clock('500 s');
select is(swept(), '0 reclaimed, 0 timed out, 0 discarded, 0 woken', 'A paused step has no deadline: R-018, R-064');

-- '0' has passed already.
select tenure.enqueue('t', deadline => '0');
select is(take(), 0::bigint, 'A deadline of 0 is never claimed: R-017, R-033');
select is(swept(), '0 reclaimed, 0 timed out, 1 discarded, 0 woken', 'It is discarded by the next sweep: R-017');

select * from finish();
rollback;
