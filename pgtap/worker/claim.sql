begin;
select plan(48);
\ir ../session.psql
\ir ../steps.psql
select tenure.create_queue('io');
select tenure.create_queue('slow');

-- What a claim answers, in the order in which it answers.
create function names_of(
    p_queues text[] default '{default}', p_max_steps int default 1000, p_names text[] default null
)
returns text
language sql
as $$
select string_agg(c.name, ' ' order by c.ordinality)
from tenure.claim(p_queues, 'w', p_max_steps, '30 s', p_names) with ordinality as c
$$;

-- All of one step.
select tenure.enqueue(
    'mail', '{"to": "a"}', queue => 'io', timeout => '20 s', deadline => '100 s', max_attempts => 3,
    headers => '{"trace": 7}'
);
select set_clock('90 s');
select is(
    (select to_jsonb(c) from tenure.claim(array['io'], 'w1', lease_ttl => '45 s') as c),
    '{"step_id": 1, "run_id": 1, "name": "mail", "queue": "io", "input": {"to": "a"}, "attempt": 1, "max_attempts": 3,
      "generation": 1, "lease_expiry": "2030-01-01T00:02:15+00:00", "time_left": "00:00:10", "reclaims": 0,
      "headers": {"trace": 7}, "keys": null, "signal": null, "on_timeout": "abandon", "waits": null}'::jsonb,
    'All that a handler needs comes at once; empty is NULL; the nearer limit counts: R-030, R-031'
);
select is(
    (
        select format('%s %s %s %s', s.state, s.lease_owner, s.started_at, s.heartbeat_at)
        from tenure.step_status as s
        where s.step_id = 1
    ),
    'running w1 2030-01-01 00:01:30+00 2030-01-01 00:01:30+00', 'It runs since now: R-029'
);
select is((tenure.status(1)).in_flight, 1::bigint, 'With a lease');
select is((select count(*) from tenure.claim(array['io'], 'w2')), 0::bigint, 'Nobody else gets it: R-036');
select tenure.release(1, 'w1', 1);
select is(
    (select format('%s %s %s', c.generation, c.attempt, c.lease_expiry) from tenure.claim(array['io'], 'w2') as c),
    '2 1 2030-01-01 00:02:00+00', 'By default a lease is 30 s; the generation goes up by one: R-004'
);
select tenure.enqueue('mail', queue => 'io', timeout => '20 s');
select tenure.enqueue('mail', queue => 'io');
select is(
    (select array_agg(c.time_left::text order by c.step_id) from tenure.claim(array['io'], 'w', 2) as c),
    array['00:00:20', null], 'time_left is the timeout alone, or NULL without a limit: R-031'
);
select is(
    (select c.input from tenure.claim(array['default'], 'w') as c), null, 'Of other queues nothing is claimed: R-034'
);

-- Order: priority, then scheduled_at, then id.
select set_clock('200 s');
select tenure.enqueue('f', scheduled_at => '2030-01-01 00:03:20+00');
select tenure.enqueue('g', scheduled_at => '2030-01-01 00:03:20+00');
select tenure.enqueue('e', scheduled_at => '2030-01-01 00:03:19+00');
select tenure.enqueue('d', scheduled_at => '2020-01-01 00:00:00+00');
select tenure.enqueue('h', priority => 1, scheduled_at => '2019-01-01 00:00:00+00');
select tenure.enqueue('b', priority => -99);
select tenure.enqueue('c', priority => -1);
select tenure.enqueue('a', priority => -100);
select tenure.enqueue('i', priority => 100);
select tenure.enqueue('later', priority => -100, delay => '1 microsecond');
select is(names_of(p_max_steps => 3), 'a b c', 'Smaller priorities first: R-028');
select is(names_of(), 'd e f g h i', 'Then scheduled_at, then id; nothing before it is due: R-028, R-032');
select set_clock('200.000001 s');
select is(names_of(), 'later', 'At its time it is due: R-032');

-- The same name in one order, whatever the priorities of other names; and bounds.
select tenure.enqueue('n') from generate_series(1, 1200);
select is(
    (select count(*) from tenure.claim(array['default'], 'w', 1000)), 1000::bigint,
    'As many as asked for, at most: R-037'
);
select is((select count(*) from tenure.claim(array['default'], 'w', 1000)), 200::bigint, 'Then what is left: R-037');
select is((select count(*) from tenure.claim(array['default'], 'w')), 0::bigint, 'Then none');
select tenure.enqueue('n') from generate_series(1, 5);
select is(
    (select array_agg(c.step_id - 1213) from tenure.claim(array['default'], 'w', 3) as c), array[1, 2, 3]::bigint[],
    'One by default, three when asked, in order of ids: R-028'
);
select is((select count(*) from tenure.claim(array['default'], 'w')), 1::bigint, 'One by default');
select is((select count(*) from tenure.claim(array['default'], 'w')), 1::bigint, 'And the last');

-- Names and queues.
select tenure.enqueue('a');
select tenure.enqueue('b');
select tenure.enqueue('c', queue => 'slow');
select tenure.enqueue('a', queue => 'slow');
select is(names_of(p_names => '{x}'), null, 'Names that are not there: none: R-035');
select is(names_of(p_names => '{}'), null, 'No names: none: R-035');
select is(names_of(p_names => '{b}'), 'b', 'Only names that are listed: R-035');
select is(names_of(p_names => '{b, c, x}'), null, 'And only queues that are named: R-034');
select is(names_of('{default, slow}', p_names => '{a, b, c}'), 'a c a', 'Several of both, in one order: R-034, R-035');
select is(names_of('{}'), null, 'No queue: none: R-034');

-- A paused queue.
select tenure.enqueue('a');
select tenure.enqueue('b', queue => 'slow');
select tenure.pause_queue('default');
select is(names_of('{default, slow}'), 'b', 'Of a paused queue nothing is claimed: R-034, R-111');
select tenure.resume_queue('default');
select is(names_of('{default, slow}'), 'a', 'Resumed, it is: R-034, R-111');

-- A paused run.
select tenure.enqueue('a');
select tenure.pause(currval('tenure_private.step_id_seq'));
select is(names_of(), null, 'A paused run is not claimed: R-112');
select tenure.resume(currval('tenure_private.step_id_seq'));
select is(names_of(), 'a', 'Resumed, it is: R-112');

-- Limits that no sweep has seen hide nothing behind them.
select tenure.enqueue('dead', start_within => '5 s') from generate_series(1, 50);
select tenure.enqueue('dead', deadline => '5 s') from generate_series(1, 50);
select tenure.enqueue('live', deadline => '5.1 s');
select set_clock('205.000001 s');
select is(names_of(p_max_steps => 2), 'live', 'Expired steps are passed over, and hide nothing: R-033');
select is(names_of(), null, 'None of them is claimed: R-033');

-- Steps that become due behind where claims have read to: a past date, an old release, a resume.
select tenure.enqueue('n') from generate_series(1, 3);
select set_clock('300 s');
select names_of();
select tenure.enqueue('n', scheduled_at => '2000-01-01 00:00:00+00');
select is(names_of(), 'n', 'One scheduled in the past is found: R-039');
select tenure.enqueue('n');
select names_of();
select tenure.release(currval('tenure_private.step_id_seq'), 'w', 1);
select set_clock('400 s');
select tenure.enqueue('n');
select is(names_of(), 'n n', 'One that is handed back is found, beside a new one: R-039');

-- Errors.
select throws_ok($$select tenure.claim('{nope}', 'w')$$, 'TN003', null, 'An unknown queue: R-146');
select throws_ok($$select tenure.claim('{default, nope}', 'w')$$, 'TN003', null, 'One unknown of two: R-146');
select throws_ok($$select tenure.claim(null, 'w')$$, 'TN005', null, 'No queues');
select throws_ok($$select tenure.claim('{null}', 'w')$$, 'TN005', null, 'A queue that is NULL: R-147');
select throws_ok($$select tenure.claim('{default}', null)$$, 'TN005', null, 'An owner that is NULL: R-147');
select throws_ok($$select tenure.claim('{default}', '')$$, 'TN005', null, 'An owner that is empty: R-147');
select throws_ok(
    $$select tenure.claim('{default}', repeat('w', 1001))$$, 'TN005', null, 'An owner of over 1000 bytes: R-147'
);
select throws_ok($$select tenure.claim('{default}', 'w', 0)$$, 'TN007', null, 'max_steps 0: R-148');
select throws_ok($$select tenure.claim('{default}', 'w', 1001)$$, 'TN007', null, 'max_steps 1001: R-148');
select throws_ok($$select tenure.claim('{default}', 'w', null)$$, 'TN007', null, 'max_steps NULL: R-148');
select throws_ok($$select tenure.claim('{default}', 'w', -1)$$, 'TN007', null, 'max_steps negative: R-148');
select throws_ok($$select tenure.claim('{default}', 'w', 1, '0')$$, 'TN006', null, 'A ttl of nothing: R-025');
select throws_ok($$select tenure.claim('{default}', 'w', 1, null)$$, 'TN006', null, 'A ttl of NULL: R-025');
select throws_ok($$select tenure.claim('{default}', 'w', 1, '-1 s')$$, 'TN006', null, 'A negative ttl: R-025');
select throws_ok($$select tenure.claim('{default}', 'w', 1, '1 month')$$, 'TN006', null, 'A ttl with months: R-025');
select throws_ok(
    $$select tenure.claim('{default}', 'w', 1, '876601 hours')$$, 'TN006', null, 'A ttl of over 100 years: R-025'
);
select throws_ok(
    $$select tenure.claim('{default}', 'w', 1, '178000000 years')$$, 'TN006', null, 'The largest there is: R-025'
);
select is(
    (select count(*) from tenure.lease_status as l where l.owner is null), 0::bigint, 'Nothing came of them: R-145'
);

select * from finish();
rollback;
