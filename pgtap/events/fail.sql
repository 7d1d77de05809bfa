begin;
select plan(16);
\ir ../session.psql
\ir ../steps.psql
select tenure.define_step('t', max_attempts => 2, backoff => '{"kind": "fixed", "base": 10, "jitter": 0}');

select tenure.enqueue('t') from generate_series(1, 5);
select take();
select set_clock('5 s');

select is(tenure.fail(1, 'w', 1, '{"type": "E", "message": "one"}'), 'retrying', 'A retryable failure is retried');
select is(
    shown(1),
    '{"state": "available", "attempt": 2, "due": "00:00:15", "reclaims": 0, "releases": 0, "kind": "retryable",
      "error": {"type": "E", "message": "one"}}',
    'It consumes the attempt; the next is due after the backoff: R-066'
);
select is(logged(1), '1 by w/1 at 00:00:05: retryable', 'The attempt is logged: R-066');
select set_clock('15 s');
select take();
select is(shown(1) ->> 'kind', 'retryable', 'The last error stands while the next attempt runs: R-066');
select is(tenure.fail(1, 'w', 2, '{"type": "E", "message": "two"}'), 'discarded', 'The last one is not retried');
select is(
    shown(1),
    '{"state": "discarded", "attempt": 2, "due": "00:00:15", "reclaims": 0, "releases": 0, "kind": "retryable",
      "error": {"type": "E", "message": "two"}}',
    'A retryable failure of the last attempt discards, with its error: R-066, R-003'
);
select is(
    logged(1), '1 by w/1 at 00:00:05: retryable, 2 by w/2 at 00:00:15: retryable', 'Both attempts are logged'
);

select is(
    tenure.fail(2, 'w', 1, '{"type": "E", "message": "bad"}', kind => 'permanent'), 'discarded', 'permanent discards'
);
select is(
    shown(2),
    '{"state": "discarded", "attempt": 1, "due": "00:00:00", "reclaims": 0, "releases": 0, "kind": "permanent",
      "error": {"type": "E", "message": "bad"}}',
    'A permanent failure leaves no further attempt: R-067'
);
select is(logged(2), '1 by w/1 at 00:00:15: permanent', 'It is logged');

select is(
    tenure.fail(3, 'w', 1, '{"type": "E", "message": "?"}', kind => 'uncertain'), 'discarded', 'uncertain discards'
);
select is(
    shown(3),
    '{"state": "discarded", "attempt": 1, "due": "00:00:00", "reclaims": 0, "releases": 0, "kind": "uncertain",
      "error": {"type": "E", "message": "?"}}',
    'An uncertain failure leaves no further attempt: R-068'
);

select is(
    tenure.fail(4, 'w', 1, '{"type": "E", "message": "4"}', retry_after => '7 s'), 'retrying', 'With a delay of its own'
);
select is(shown(4) ->> 'due', '00:00:22', 'retry_after replaces the backoff: R-059');

-- The worker stopped the handler just before the limit: the timeout, at once.
select is(tenure.fail(5, 'w', 1, '"late"', kind => 'timeout'), 'timed_out', 'fail of kind timeout answers so: R-081');
select is(
    shown(5) #- '{error, cause}',
    '{"state": "available", "attempt": 2, "due": "00:00:25", "reclaims": 0, "releases": 0, "kind": "timeout",
      "error": {"type": "LimitPassed", "kind": "timeout", "message": "step t passed its timeout", "step": "t"}}',
    'It takes the timeout path before the limit has come: R-081'
);

select * from finish();
rollback;
