begin;
select plan(26);
\ir ../session.psql
\ir ../steps.psql

-- What the next claim tells of ended waits.
create function waits_after_sweep(p_step_id bigint)
returns jsonb
language sql
as $$
select tenure.sweep();
select c.waits from tenure.claim(array['default'], 'w', 1000) as c where c.step_id = p_step_id
$$;

select tenure.enqueue('t');
select take();
select is(tenure.sleep(1, 'w', 1, '10 s'), 'sleeping', 'Asleep');
select is(
    (select s.due_at from tenure.step_status as s where s.step_id = 1), '2030-01-01 00:00:10+00', 'It says until when'
);
select is(tenure.sleep(1, 'w', 1, '99 s'), 'sleeping', 'The same report again: R-050');
select is(
    (select s.due_at from tenure.step_status as s where s.step_id = 1), '2030-01-01 00:00:10+00',
    'Changes nothing: R-050'
);
select is((tenure.heartbeat(1, 'w', 1)).verdict, 'lost', 'Its lease is gone');
select set_clock('10 s');
select is(
    waits_after_sweep(1), '[{"key": "sleep:1", "kind": "sleep", "outcome": "due", "payload": null}]'::jsonb,
    'The next claim tells of it, under a key of its own: R-117, R-118, R-119'
);
select is((tenure.status(1)).attempt, 1, 'Same attempt: R-117');
select is(tenure.sleep(1, 'w', 1, '10 s'), 'stale', 'The old report is stale by now: R-051');
select tenure.sleep(1, 'w', 2, '1 s', 'mine');
select set_clock('11 s');
select waits_after_sweep(1);
select tenure.sleep(1, 'w', 3, '1 s');
select set_clock('12 s');
select is(
    waits_after_sweep(1),
    '[{"key": "sleep:1", "kind": "sleep", "outcome": "due", "payload": null},
      {"key": "mine", "kind": "sleep", "outcome": "due", "payload": null},
      {"key": "sleep:3", "kind": "sleep", "outcome": "due", "payload": null}]'::jsonb,
    'Oldest first: R-118, R-119'
);

-- A key that has ended.
select is(tenure.sleep(1, 'w', 4, '1 h', 'mine'), 'sleeping', 'Again under a key that has ended');
select is(shown(1) ->> 'state', 'available', 'Available at once: R-120');
select is(shown(1) ->> 'due', '00:00:00', 'In its old place in line: R-120');
select is(
    (
        select jsonb_array_length(c.waits)
        from tenure.claim(array['default'], 'w') as c
    ),
    3, 'With the outcome that was recorded first: R-120'
);

-- Over attempts.
select tenure.fail(1, 'w', 5, '"e"', retry_after => '0');
select is(
    (select jsonb_array_length(c.waits) from tenure.claim(array['default'], 'w') as c), 3,
    'Ended sleeps survive attempts: R-121'
);

-- No time at all is a sleep too, that the next sweep ends.
select is(tenure.sleep(1, 'w', 6, '0', 'nap'), 'sleeping', 'No time at all');
select is(swept(), '0 reclaimed, 0 timed out, 0 discarded, 1 woken', 'Ends with the next sweep: R-084');

-- A sleep that a deadline cut short is over: after a retry its key starts anew.
select tenure.enqueue('d', deadline => '10 s');
select take();
select tenure.sleep(2, 'w', 1, '1 h');
select set_clock('30 s');
select swept();
select tenure.retry(2);
select set_clock('31 s');
select take();
select is(tenure.sleep(2, 'w', 2, '5 s'), 'sleeping', 'Asleep again, after a retry');
select set_clock('36 s');
select is(
    waits_after_sweep(2), '[{"key": "sleep:1", "kind": "sleep", "outcome": "due", "payload": null}]'::jsonb,
    'The one that was cut short counts as none: R-119'
);

select throws_ok($$select tenure.sleep(1, 'w', 6, null)$$, 'TN006', null, 'No duration: R-025');
select throws_ok($$select tenure.sleep(1, 'w', 6, '-1 s')$$, 'TN006', null, 'A negative one: R-025');
select throws_ok($$select tenure.sleep(1, 'w', 6, '1 month')$$, 'TN006', null, 'Months: R-025');
select throws_ok($$select tenure.sleep(1, 'w', 6, '1 s', '')$$, 'TN005', null, 'An empty key: R-147');
select throws_ok($$select tenure.sleep(1, 'w', 6, '1 s', repeat('k', 1001))$$, 'TN005', null, 'A long key: R-147');
select throws_ok($$select tenure.sleep(1, null, 6, '1 s')$$, 'TN005', null, 'No owner: R-147');
select throws_ok($$select tenure.sleep(null, 'w', 6, '1 s')$$, 'TN007', null, 'No step');
select is(tenure.sleep(1, 'v', 6, '1 s'), 'stale', 'Without the lease: R-049');

select * from finish();
rollback;
