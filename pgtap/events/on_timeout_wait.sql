begin;
select plan(39);
\ir ../session.psql
\ir ../steps.psql
select tenure.define_step(
    't', on_timeout => 'wait', timeout => '20 s', max_attempts => 2,
    backoff => '{"kind": "fixed", "base": 10, "jitter": 0}'
);

select tenure.enqueue('t') from generate_series(1, 4);
select tenure.enqueue('t', deadline => '45 s');
select tenure.enqueue('t') from generate_series(1, 2);
select is(take('w', '30 s'), 7::bigint, 'All run, with leases to 30 s');
select set_clock('20 s');
select is(swept(), '0 reclaimed, 0 timed out, 0 discarded, 0 woken', 'At the limit nothing moves: R-095');
select is((shown(1)) ->> 'state', 'running', 'It stays running: R-095');
select is(
    (select b from tenure.heartbeat(1, 'w', 1) as b),
    row('timed_out', '2030-01-01 00:00:50+00', '0 s')::tenure.heartbeat_verdict,
    'A heartbeat answers timed_out, and yet renews: R-096'
);
select is(
    (select array_agg(format('%s %s', r.verdict, r.lease_expiry)) from tenure.heartbeat_many('{2}', 'w', '{1}') as r),
    array['timed_out 2030-01-01 00:00:50+00'], 'So does a batch: R-096'
);

-- A report ends it, by the timeout path.
select set_clock('25 s');
select is(tenure.complete(1, 'w', 1, '"late"'), 'timed_out', 'Any report of this generation: R-095');
select is(
    shown(1) - 'error',
    '{"state": "available", "attempt": 2, "due": "00:00:35", "reclaims": 0, "releases": 0, "kind": "timeout"}',
    'Takes the timeout path, attempt consumed: R-095'
);
select is(tenure.fail(3, 'w', 1, '"bad"', kind => 'permanent'), 'discarded', 'permanent lands as what it is: R-079');

-- So does the end of the lease. 4 was not renewed: its lease is over past 30 s. 2 was, to 50 s.
select set_clock('30.000001 s');
select is(swept(), '0 reclaimed, 4 timed out, 0 discarded, 0 woken', 'The end of the lease ends it: R-095');
select is(
    shown(4) - 'error',
    '{"state": "available", "attempt": 2, "due": "00:00:40.000001", "reclaims": 0, "releases": 0, "kind": "timeout"}',
    'By the timeout path: attempt consumed, no reclaim: R-095'
);
select is((shown(2)) ->> 'state', 'running', 'The one that was renewed runs on: R-096');
select is(
    (select s.lease_owner from tenure.step_status as s where s.step_id = 2), 'w', 'step_status shows whose lease it is'
);

-- A lease that ends before the limit is an ordinary crash.
select set_clock('50 s');
select take('w2', '5 s');
select set_clock('56 s');
select is((shown(4)) ->> 'reclaims', '0', 'Not reclaimed yet');
select swept();
select is((shown(4)) -> 'reclaims', '1', 'Before the limit the end of a lease is a reclaim: R-070');
select is((shown(4)) -> 'attempt', '2', 'Which consumes nothing');

-- 2 timed out by the end of its lease at 50 s. 5 was timed out at 30 s; its deadline at 45 s came in its backoff.
select is((shown(2)) -> 'attempt', '2', 'The renewed one ended with its renewed lease: R-095');
select is((shown(5)) ->> 'kind', 'deadline', 'A deadline comes in a backoff too');

-- The deadline and cancel do not wait, even beside a live lease.
select tenure.enqueue('t', deadline => '30 s');
select tenure.enqueue('t');
select tenure.enqueue('t', max_attempts => 1);
select set_clock('60 s');
select take('w', '300 s');
select set_clock('86 s');
select is(swept(), '0 reclaimed, 0 timed out, 1 discarded, 0 woken', 'The deadline does not wait: R-097');
select is((shown(8)) ->> 'kind', 'deadline', 'It discards the step while it runs: R-097');
select is((tenure.heartbeat(8, 'w', 1)).verdict, 'lost', 'Its worker learns that it is over');
select is((tenure.status(8)).in_flight, 1::bigint, 'Its body still counts as in flight: R-098');
select is(
    (select s.lease_expiry from tenure.step_status as s where s.step_id = 8), '2030-01-01 00:06:00+00',
    'And step_status shows until when: R-098, R-009'
);
select is(tenure.cancel(9), 1, 'Cancel does not wait: R-097');
select is((tenure.status(9)).state, 'cancelled', 'It is cancelled at once: R-097');
select is((tenure.status(9)).in_flight, 1::bigint, 'Its body counts as in flight: R-098');
select is(tenure.complete(9, 'w', 1), 'cancelled', 'Until it reports: R-098, R-103');
select is((tenure.status(9)).in_flight, 0::bigint, 'Then nothing is in flight: R-098');
select is(
    (select s.lease_owner from tenure.step_status as s where s.step_id = 9), null, 'And no lease is shown: R-009'
);

-- A retry waits for the old body.
select is(tenure.retry(8), 'available', 'The discarded step is reopened');
select is((shown(8)) ->> 'due', '00:06:00', 'Not due before the old lease has ended: R-099');
select set_clock('110 s');
select take('w3', '300 s');
select is((shown(8)) ->> 'state', 'available', 'So nobody claims it: R-099');

-- The last attempt: the end of the lease discards.
select is((shown(10)) ->> 'state', 'running', 'The last one still runs past its limit: R-095');
select set_clock('360.000001 s');
select is(swept(), '0 reclaimed, 5 timed out, 6 discarded, 0 woken', 'At last the leases end');
select is((shown(10)) ->> 'state', 'discarded', 'The last attempt is discarded: R-062, R-095');
select is((shown(10)) -> 'attempt', '1', 'And stays the last');

-- start_within counts from then too, not from the retry.
select tenure.enqueue('t', timeout => '1 h', start_within => '30 s', max_attempts => 1);
select take('w', '300 s');
update tenure_private.step set deadline_at = '2030-01-01 00:06:10+00', alarm_at = '2030-01-01 00:06:10+00'
where step_id = 11;
select set_clock('370 s');
select swept();
select is(tenure.retry(11), 'available', 'Discarded under a live lease, and reopened');
select is((shown(11)) ->> 'due', '00:11:00.000001', 'Due when the old lease has ended: R-099');
select set_clock('690 s');
select swept();
select is((shown(11)) ->> 'state', 'available', 'It has its time to be started from then on: R-107, R-099');
select set_clock('690.000001 s');
select swept();
select is((shown(11)) ->> 'kind', 'start_within', 'And no more: R-019');

select * from finish();
rollback;
