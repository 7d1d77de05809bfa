begin;
select plan(47);
\ir ../session.psql
\ir ../steps.psql
select tenure.define_step('t', max_attempts => 3, backoff => '{"kind": "fixed", "base": 10, "jitter": 0}');

-- Every verb once past the timeout (steps 1 to 8) and once past the progress_timeout (9 to 16).
select tenure.enqueue('t', timeout => '20 s') from generate_series(1, 8);
select tenure.enqueue('t', progress_timeout => '20 s') from generate_series(1, 8);
select is(take(), 16::bigint, 'All run');
select set_clock('20 s');

select is(tenure.complete(1, 'w', 1, '"late"'), 'timed_out', 'Past timeout: complete: R-078');
select is(tenure.skip(2, 'w', 1, 'late'), 'timed_out', 'Past timeout: skip: R-078');
select is(tenure.release(3, 'w', 1), 'timed_out', 'Past timeout: release: R-078');
select is(tenure.sleep(4, 'w', 1, '1 s'), 'timed_out', 'Past timeout: sleep: R-078');
select is(tenure.wait_signal(5, 'w', 1, 'go'), 'timed_out', 'Past timeout: wait_signal: R-078');
select is(tenure.fail(6, 'w', 1, '"late"'), 'timed_out', 'Past timeout: a retryable fail: R-078');
select is(tenure.fail(7, 'w', 1, '"bad"', kind => 'permanent'), 'discarded', 'Past timeout: permanent lands: R-079');
select is(tenure.fail(8, 'w', 1, '"?"', kind => 'uncertain'), 'discarded', 'Past timeout: uncertain lands: R-079');

select is(tenure.complete(9, 'w', 1, '"late"'), 'timed_out', 'Past progress_timeout: complete: R-078');
select is(tenure.skip(10, 'w', 1, 'late'), 'timed_out', 'Past progress_timeout: skip: R-078');
select is(tenure.release(11, 'w', 1), 'timed_out', 'Past progress_timeout: release: R-078');
select is(tenure.sleep(12, 'w', 1, '1 s'), 'timed_out', 'Past progress_timeout: sleep: R-078');
select is(tenure.wait_signal(13, 'w', 1, 'go'), 'timed_out', 'Past progress_timeout: wait_signal: R-078');
select is(tenure.fail(14, 'w', 1, '"late"'), 'timed_out', 'Past progress_timeout: a retryable fail: R-078');
select is(tenure.fail(15, 'w', 1, '"bad"', kind => 'permanent'), 'discarded', 'Past it: permanent lands: R-079');
select is(tenure.fail(16, 'w', 1, '"?"', kind => 'uncertain'), 'discarded', 'Past it: uncertain lands: R-079');

select is(
    (
        select array_agg(format('%s %s/3 %s', s.state, s.attempt, s.error_kind) order by s.step_id)
        from tenure.step_status as s
    ),
    array[
        'available 2/3 timeout', 'available 2/3 timeout', 'available 2/3 timeout', 'available 2/3 timeout',
        'available 2/3 timeout', 'available 2/3 timeout', 'discarded 1/3 permanent', 'discarded 1/3 uncertain',
        'available 2/3 progress', 'available 2/3 progress', 'available 2/3 progress', 'available 2/3 progress',
        'available 2/3 progress', 'available 2/3 progress', 'discarded 1/3 permanent', 'discarded 1/3 uncertain'
    ],
    'Each took the timeout path at once, or landed as what it is: R-078, R-079'
);
select is(
    (select array_agg(s.step_id) from tenure.step_status as s where s.output is not null or s.releases > 0), null,
    'A late success is never a success: R-078'
);
select is(
    shown(6) -> 'error' ->> 'message', 'step t passed its timeout', 'The error of a late retryable fail is the timeout'
);
select is(shown(1) ->> 'due', '00:00:30', 'The next attempt is due after the backoff');

-- Once the sweep has moved the step, a permanent fail comes too late.
select tenure.enqueue('t', timeout => '20 s') from generate_series(1, 2);
select set_clock('25 s');
select take();
select set_clock('45 s');
select swept();
select is(tenure.fail(17, 'w', 1, '"bad"', kind => 'permanent'), 'stale', 'permanent after the sweep is stale: R-079');
select is(tenure.fail(18, 'w', 1, '"?"', kind => 'uncertain'), 'stale', 'uncertain after the sweep is stale: R-079');
select is(shown(17) ->> 'kind', 'timeout', 'The sweep''s decision stands');

-- Every verb past the deadline: steps 19 to 26. All but 19 have failed once before.
select tenure.enqueue('t', deadline => '100 s') from generate_series(1, 8);
select take('w', '500 s');
select tenure.fail(f.step_id, 'w', 1, '{"type": "E", "message": "first"}', retry_after => '0')
from generate_series(20, 26) as f (step_id);
select take('w', '500 s');
select set_clock('145 s');
select is(tenure.complete(19, 'w', 1), 'timed_out', 'Past deadline: complete: R-080');
select is(tenure.skip(20, 'w', 2, 'late'), 'timed_out', 'Past deadline: skip: R-080');
select is(tenure.release(21, 'w', 2), 'timed_out', 'Past deadline: release: R-080');
select is(tenure.sleep(22, 'w', 2, '1 s'), 'timed_out', 'Past deadline: sleep: R-080');
select is(tenure.wait_signal(23, 'w', 2, 'go'), 'timed_out', 'Past deadline: wait_signal: R-080');
select is(tenure.fail(24, 'w', 2, '{"type": "E", "message": "second"}'), 'timed_out', 'Past deadline: fail: R-080');
select is(tenure.fail(25, 'w', 2, '"bad"', kind => 'permanent'), 'timed_out', 'Past deadline: permanent: R-080');
select is(tenure.fail(26, 'w', 2, '"?"', kind => 'uncertain'), 'discarded', 'Past deadline: uncertain: R-080');
select is(
    (
        select array_agg(format('%s %s %s', s.state, s.attempt, s.error_kind) order by s.step_id)
        from tenure.step_status as s
        where s.step_id between 19 and 26
    ),
    array[
        'discarded 1 deadline', 'discarded 2 deadline', 'discarded 2 deadline', 'discarded 2 deadline',
        'discarded 2 deadline', 'discarded 2 deadline', 'discarded 2 deadline', 'discarded 2 uncertain'
    ],
    'All are discarded by the deadline, but uncertain keeps its kind: R-080'
);
select is(shown(19) -> 'error' -> 'cause', null, 'Without an error before there is no cause: R-064');
select is(shown(20) -> 'error' -> 'cause' ->> 'message', 'first', 'The last attempt''s error is the cause: R-064');
select is(
    shown(24) -> 'error' -> 'cause' ->> 'message', 'second', 'That of the attempt that fails just then is later: R-064'
);
select is(shown(25) -> 'error' -> 'cause', '"bad"', 'Of whatever kind: R-064');
select is(shown(26) -> 'error', '"?"', 'uncertain keeps its error: R-080');

-- Several limits at once: the deadline first, then timeout, then progress, and the lease last.
select tenure.enqueue('t', deadline => '20 s', timeout => '20 s', progress_timeout => '20 s');
select tenure.enqueue('t', timeout => '20 s', progress_timeout => '20 s');
select tenure.enqueue('t', progress_timeout => '20 s');
select tenure.enqueue('t');
select take('w', '10 s');
select set_clock('300 s');
select swept();
select is(shown(27) ->> 'kind', 'deadline', 'Deadline before timeout, progress and lease: R-022');
select is(shown(28) ->> 'kind', 'timeout', 'Timeout before progress and lease: R-022');
select is(shown(29) ->> 'kind', 'progress', 'Progress before the lease: R-022');
select is(shown(30) -> 'reclaims', '1', 'The lease alone: R-022');
select tenure.enqueue('t', deadline => '20 s', timeout => '20 s', progress_timeout => '20 s');
select tenure.enqueue('t', timeout => '20 s', progress_timeout => '20 s');
select take('w', '10 s');
select set_clock('400 s');
select tenure.complete(31, 'w', 1);
select tenure.complete(32, 'w', 1);
select is(shown(31) ->> 'kind', 'deadline', 'So does a report decide: R-022');
select is(shown(32) ->> 'kind', 'timeout', 'So does a report decide: R-022');

-- A timeout of 0 has passed already; NULL is no limit.
select tenure.enqueue('t', timeout => '0');
select tenure.enqueue('t', progress_timeout => '0');
select tenure.enqueue('t');
select take('w', '3000 hours');
select is(tenure.complete(33, 'w', 1), 'timed_out', 'A timeout of 0 has passed at the claim: R-017');
select is(tenure.complete(34, 'w', 1), 'timed_out', 'A progress_timeout of 0 too: R-017');
select set_clock('2999 hours');
select is(tenure.complete(35, 'w', 1), 'completed', 'Without one there is no limit: R-017');

select * from finish();
rollback;
