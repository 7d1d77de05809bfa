begin;
select plan(18);
\ir ../session.psql
\ir ../steps.psql
select tenure.define_step('t', max_attempts => 1, backoff => '{"kind": "fixed", "base": 10, "jitter": 0}');

select tenure.enqueue('t') from generate_series(1, 3);
select tenure.enqueue('t', deadline => '100 s', start_within => '50 s');
select take();
select tenure.release(4, 'w', 1);
update tenure_private.step set reclaims = 3, releases = 2 where step_id = 1;
select tenure.fail(1, 'w', 1, '{"type": "E", "message": "one"}');
select tenure.fail(2, 'w', 1, '{"type": "E", "message": "two"}', kind => 'permanent');
select set_clock('200 s');
select is(swept(), '1 reclaimed, 0 timed out, 1 discarded, 0 woken', 'The deadline of the fourth has passed');

select is(tenure.retry(1), 'available', 'A retry answers the new state: R-105');
select is(
    shown(1), '{"state": "available", "attempt": 2, "due": "00:03:20", "reclaims": 0, "releases": 2}',
    'Due at once, error cleared, reclaims 0, attempt + 1: R-075, R-106, R-108'
);
select is((tenure.status(1)).max_attempts, 2, 'max_attempts is raised: R-075, R-109');
select is((tenure.status(1)).finished_at, null, 'It has not ended any more: R-012');
select is(logged(1), '1 by w/1 at 00:00:00: retryable', 'What happened stays in the log');

select is(tenure.retry(2, 3), 'available', 'A permanent failure can be retried, by an operator');
select is((tenure.status(2)).attempt, 2, 'It had consumed its attempt: R-108');
select is((tenure.status(2)).max_attempts, 4, 'extra_attempts counts from the last one: R-109');

select is(tenure.retry(4), 'available', 'So can one that ran into its deadline');
select is((tenure.status(4)).attempt, 1, 'Which consumes none: R-108');
select is(
    (select s.deadline_at from tenure.step_status as s where s.step_id = 4), '2030-01-01 00:05:00+00',
    'Its deadline begins anew: R-107'
);
select is((tenure.status(4)).max_attempts, 2, 'There is room for one more: R-109');
select set_clock('250 s');
select is(swept(), '0 reclaimed, 0 timed out, 1 discarded, 0 woken', 'start_within too: R-107');
select is(shown(4) ->> 'kind', 'start_within', 'It passes again');

select is(take(), 3::bigint, 'The others are claimed, with the one reclaimed');

-- The number of attempts may be as large as an int: a retry does not overflow it.
select tenure.enqueue('t', max_attempts => 2147483647);
select take();
update tenure_private.step set attempt = 2147483647 where step_id = 5;
select tenure.fail(5, 'w', 1, '"e"');
select is(tenure.retry(5, 2147483647), 'available', 'The last of two billion attempts can be retried: R-077');
select is((tenure.status(5)).attempt, 2147483647, 'The number stays at its bound: R-077');

select * from finish();
rollback;
