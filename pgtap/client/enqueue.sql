begin;
select plan(48);
\ir ../session.psql

-- What a call makes.
select is(tenure.enqueue('mail'), 1::bigint, 'It returns the id of the run');
select is(
    (select to_jsonb(s) from tenure.step_status as s where s.step_id = 1),
    '{"step_id": 1, "run_id": 1, "parent_id": null, "name": "mail", "queue": "default", "state": "available",
      "priority": 0, "scheduled_at": "2030-01-01T00:00:00+00:00", "created_at": "2030-01-01T00:00:00+00:00",
      "started_at": null, "finished_at": null, "attempt": 1, "max_attempts": 5, "timeout": null, "deadline": null,
      "start_within": null, "progress_timeout": null, "on_timeout": "abandon", "lease_owner": null,
      "lease_expiry": null, "lease_generation": 0, "heartbeat_at": null, "reclaims": 0, "max_reclaims": 10,
      "releases": 0, "input": {}, "output": null, "error": null, "error_kind": null, "progress": null,
      "progress_at": null, "cancel_reason": null, "skip_reason": null, "headers": null, "deadline_at": null,
      "due_at": null, "paused_state": null, "backoff": null,
      "node": null, "position": null, "group_attempt": null, "workflow": null, "workflow_version": null, "waits_for": null}'::jsonb,
    'A name alone is one available row with the built-in defaults: R-001, R-003, R-004, R-006, R-076'
);
select is((select count(*) from tenure_private.step), 1::bigint, 'A plain job is one row: R-001');

select tenure.create_queue('io');
select is(
    tenure.enqueue(
        name => 'mail', input => '{"to": "a"}', queue => 'io', priority => -100, delay => '90 s', timeout => '30 s',
        deadline => '1 h', max_attempts => 7, backoff => '{"kind": "fixed", "base": 2}', max_reclaims => 3,
        idempotency_key => 'k', on_timeout => 'wait', headers => '{"trace": "t"}', start_within => '10 m',
        progress_timeout => '5 s', idempotency_period => '1 day'
    ),
    2::bigint,
    'Ids rise: R-002'
);
select is(
    (select to_jsonb(s) from tenure.step_status as s where s.step_id = 2),
    '{"step_id": 2, "run_id": 2, "parent_id": null, "name": "mail", "queue": "io", "state": "available",
      "priority": -100, "scheduled_at": "2030-01-01T00:01:30+00:00", "created_at": "2030-01-01T00:00:00+00:00",
      "started_at": null, "finished_at": null, "attempt": 1, "max_attempts": 7, "timeout": "00:00:30",
      "deadline": "01:00:00", "start_within": "00:10:00", "progress_timeout": "00:00:05", "on_timeout": "wait",
      "lease_owner": null, "lease_expiry": null, "lease_generation": 0, "heartbeat_at": null, "reclaims": 0,
      "max_reclaims": 3, "releases": 0, "input": {"to": "a"}, "output": null, "error": null, "error_kind": null,
      "progress": null, "progress_at": null, "cancel_reason": null, "skip_reason": null, "headers": {"trace": "t"},
      "deadline_at": "2030-01-01T01:00:00+00:00", "due_at": null, "paused_state": null,
      "backoff": {"kind": "fixed", "base": 2},
      "node": null, "position": null, "group_attempt": null, "workflow": null, "workflow_version": null, "waits_for": null}'::jsonb,
    'Every parameter is kept; the deadline counts from creation: R-018'
);
select is(
    shown(2, 'start_by'), '2030-01-01T00:11:30+00:00',
    'start_within counts from when the step becomes due: R-019'
);
select is(
    shown(2, 'alarm_at'), '2030-01-01T00:11:30+00:00',
    'The first of deadline and start_within is its alarm'
);
select is(shown(1, 'alarm_at'), '-', 'Without limits there is none');
select setval('tenure_private.step_id_seq', 281474976710655);
select throws_ok($$ select tenure.enqueue('mail') $$, '2200H', null, 'Ids never reach the bits of a shard: R-002');
alter sequence tenure_private.step_id_seq restart with 3;

-- NULLs.
select is(
    shown(tenure.enqueue('mail', input => null), 'input'), '{}',
    'Input NULL is an empty object'
);
select tenure.enqueue('mail', input => 'null');
select is(
    (
        select s.input
        from tenure_private.new_step_id() as last (id)
        cross join tenure.step_status as s
        where s.step_id = last.id - 1
    ),
    'null'::jsonb,
    'JSON null is a value'
);

-- When it is due.
select is(
    shown(tenure.enqueue('mail', scheduled_at => '2031-05-01 12:00:00+02'), 'scheduled_at'),
    '2031-05-01T10:00:00+00:00',
    'At scheduled_at'
);
select is(
    shown(tenure.enqueue('mail', scheduled_at => '2001-01-01 00:00:00+00'), 'scheduled_at'),
    '2001-01-01T00:00:00+00:00',
    'A scheduled_at in the past is kept: it is first in line'
);
select is(
    shown(tenure.enqueue('mail', delay => '0.000001 s'), 'scheduled_at'), '2030-01-01T00:00:00.000001+00:00',
    'A microsecond is not lost'
);
select is(
    shown(tenure.enqueue('mail', scheduled_at => '2001-01-01 00:00:00+00', start_within => '1 m'), 'start_by'),
    '2030-01-01T00:01:00+00:00',
    'start_within of a step due long ago counts from now'
);
select throws_ok(
    $$ select tenure.enqueue('mail', scheduled_at => '2030-01-01 00:00:00+00', delay => '1 s') $$, 'TN007', null,
    'delay beside scheduled_at is refused: R-133'
);
select throws_ok(
    $$ select tenure.enqueue('mail', scheduled_at => 'infinity') $$, 'TN007', null, 'Never is no instant: R-027'
);
select throws_ok(
    $$ select tenure.enqueue('mail', scheduled_at => '-infinity') $$, 'TN007', null, 'Nor is always: R-027'
);
select throws_ok(
    $$ select tenure.enqueue('mail', scheduled_at => '2130-01-03 00:00:00+00') $$, 'TN007', null,
    'Nor is an instant more than 100 years away (of 876600 hours): R-027'
);

-- Across a change to summer time.
set local time zone 'Europe/Berlin';
select set_config('test.clock', '2026-03-28 12:00:00+01', true);
select tenure.enqueue('dst', delay => '1 day', deadline => '2 days', start_within => '1 day');
set local time zone 'UTC';
select is(
    (
        select format('%s, %s, %s', s.scheduled_at, s.deadline_at, s.start_by)
        from tenure_private.step as s
        where s.step_id = (select t.step_id from tenure.step_status as t where t.name = 'dst')
    ),
    '2026-03-29 11:00:00+00, 2026-03-30 11:00:00+00, 2026-03-30 11:00:00+00',
    'A day is 24 hours in Berlin too: R-026'
);
select set_clock('0');

-- Numbers and words.
select is(shown(tenure.enqueue('mail', max_attempts => 0), 'max_attempts'), '1', 'max_attempts 0 is one: R-076');
select is(shown(tenure.enqueue('mail', max_attempts => -3), 'max_attempts'), '1', 'max_attempts below 0 is one: R-076');
select is(shown(tenure.enqueue('mail', max_reclaims => -1), 'max_reclaims'), '-', 'max_reclaims -1 is no bound: R-071');
select is(shown(tenure.enqueue('mail', max_reclaims => 0), 'max_reclaims'), '0', 'max_reclaims 0 is none');
select is(shown(tenure.enqueue('mail', priority => 100), 'priority'), '100', 'The last priority');
select is(
    shown(tenure.enqueue('mail', timeout => '0'), 'timeout'), '00:00:00', 'timeout 0 is kept, not dropped: R-017'
);
delete from tenure_private.step;
select
    throws_ok(
        format('select tenure.enqueue(''mail'', %s)', w.argument),
        w.code,
        null,
        format('%s is refused: R-148, R-149', w.argument)
    )
from (
    values
    ('priority => 101', 'TN007'),
    ('priority => -101', 'TN007'),
    ('max_reclaims => -2', 'TN007'),
    ('on_timeout => ''kill''', 'TN007'),
    ('on_timeout => ''''', 'TN007'),
    ('backoff => ''{"kind": "cubic"}''', 'TN007'),
    ('headers => ''[1]''', 'TN007'),
    ('headers => ''null''', 'TN007'),
    ('queue => ''nowhere''', 'TN003'),
    ('queue => ''''', 'TN005')
) as w (argument, code);
select
    throws_ok(
        format('select tenure.enqueue(%L)', n.name),
        'TN005',
        null,
        format('The name %s is refused: R-147', left(n.name, 9))
    )
from (values (null), (''), (repeat('x', 1001)), (repeat('é', 501))) as n (name);

-- Sizes, in bytes of jsonb: a string has 12 of them around it.
select lives_ok(
    $$ select tenure.enqueue('big', to_jsonb(repeat('x', 1048576 - 12))) $$, '1 MB of input is taken: R-149'
);
delete from tenure_private.step;
select throws_ok(
    $$ select tenure.enqueue('big', to_jsonb(repeat('x', 1048576 - 11))) $$, 'TN008', null, 'A byte more is not: R-149'
);
select throws_ok(
    $$ select tenure.enqueue('big', headers => jsonb_build_object('h', repeat('x', 65536))) $$, 'TN008', null,
    'Headers over 64 kB are refused: R-149'
);
update tenure_private.setting set bytes = 8192 where name = 'input';
select throws_ok(
    $$ select tenure.enqueue('big', to_jsonb(repeat('x', 8192))) $$,
    'TN008',
    null,
    'The owner may set another limit: R-149'
);

-- After all this.
select is_empty('select from tenure_private.step', 'A refused call has written no step: R-145');
select is_empty(
    $$ select from tenure_private.track as t where t.name = 'big' and t.priority <> 0 $$, 'Nor anything else: R-145'
);

do $$
begin
    perform tenure.enqueue('mail', idempotency_key => 'outbox');
    raise exception 'the business transaction fails';
exception when raise_exception then null;
end
$$;
select is_empty('select from tenure_private.step', 'A job of a transaction rolled back was never there: R-126');
select is_empty(
    $$ select from tenure_private.idempotency as i where i.key = 'outbox' $$, 'Its key is free: R-126'
);

select * from finish();
rollback;
