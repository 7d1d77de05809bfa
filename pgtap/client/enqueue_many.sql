begin;
select plan(60);
\ir ../session.psql

-- Order, whatever the policies.
select tenure.create_queue('io');
select tenure.define_step('sms', priority => 9, headers => '{"from": "definition"}');
select results_eq(
    $$ select * from tenure.enqueue_many('[
        {"name": "mail", "input": {"n": 1}},
        {"name": "sms", "input": {"n": 2}, "timeout": "30 s"},
        {"name": "mail", "input": {"n": 3}, "queue": "io", "priority": -5, "headers": {"h": 1}},
        {"name": "mail", "input": {"n": 4}},
        {"name": "sms", "input": {"n": 5}, "timeout": "30 s", "headers": {"h": 2}},
        {"name": "mail"}
    ]') $$,
    $$ values (1::bigint), (2), (3), (4), (5), (6) $$,
    'Ids come in the order of the input: R-131'
);
select results_eq(
    $$ select s.step_id, s.name collate "default", s.queue collate "default", s.priority, s.timeout, s.headers, s.input
       from tenure.step_status as s order by s.step_id $$,
    $$ values
        (1::bigint, 'mail', 'default', 0, null::interval, null::jsonb, '{"n": 1}'::jsonb),
        (2, 'sms', 'default', 9, '30 s', '{"from": "definition"}', '{"n": 2}'),
        (3, 'mail', 'io', -5, null, '{"h": 1}', '{"n": 3}'),
        (4, 'mail', 'default', 0, null, null, '{"n": 4}'),
        (5, 'sms', 'default', 9, '30 s', '{"h": 2}', '{"n": 5}'),
        (6, 'mail', 'default', 0, null, null, '{}') $$,
    'Each step has what its own object says: R-016'
);
delete from tenure_private.step;

-- Every key means what the parameter of enqueue means.
alter sequence tenure_private.step_id_seq restart with 10;
select tenure.enqueue_many('[
    {"name": "mail", "input": {"to": "a"}, "queue": "io", "priority": -100, "delay": "90 s", "timeout": "30 s",
     "deadline": "1 h", "max_attempts": 7, "backoff": {"kind": "fixed", "base": 2}, "max_reclaims": 3,
     "idempotency_key": "k", "on_timeout": "wait", "headers": {"trace": "t"}, "start_within": "10 m",
     "progress_timeout": "5 s", "idempotency_period": "1 day"},
    {"name": "mail", "scheduled_at": "2001-01-01 00:00:00+00"}
]');
select is(
    shown(
        10,
        'name',
        'queue',
        'priority',
        'scheduled_at',
        'timeout',
        'deadline',
        'max_attempts',
        'backoff',
        'max_reclaims',
        'on_timeout', 'headers', 'start_within', 'progress_timeout', 'input', 'deadline_at', 'start_by', 'alarm_at'
    ),
    'mail io -100 2030-01-01T00:01:30+00:00 00:00:30 01:00:00 7 {"base": 2, "kind": "fixed"} 3 wait {"trace": "t"}'
    ' 00:10:00 00:00:05 {"to": "a"} 2030-01-01T01:00:00+00:00 2030-01-01T00:11:30+00:00 2030-01-01T00:11:30+00:00',
    'All keys are taken'
);
select is(shown(11, 'scheduled_at'), '2001-01-01T00:00:00+00:00', 'scheduled_at too');
select tenure.enqueue_many('[
    {"name": "mail", "input": null, "queue": null, "priority": null, "scheduled_at": null, "delay": null, "timeout": null,
     "deadline": null, "max_attempts": null, "backoff": null, "max_reclaims": null, "idempotency_key": null,
     "on_timeout": null, "headers": null, "start_within": null, "progress_timeout": null, "idempotency_period": null},
    {"name": "mail", "max_attempts": 0, "max_reclaims": -1}
]');
select is(
    shown(
        12,
        'input',
        'queue',
        'priority',
        'scheduled_at',
        'timeout',
        'max_attempts',
        'max_reclaims',
        'headers',
        'backoff'
    ),
    '- default 0 2030-01-01T00:00:00+00:00 - 5 10 - -',
    'JSON null is no value but for the input, where it is one'
);
select is((select s.input from tenure.step_status as s where s.step_id = 12), 'null'::jsonb, 'There it stays');
select is(shown(13, 'max_attempts', 'max_reclaims'), '1 -', 'The special numbers mean the same: R-071, R-076');
delete from tenure_private.step;

-- Keys.
alter sequence tenure_private.step_id_seq restart with 20;
select results_eq(
    $$ select * from tenure.enqueue_many('[
        {"name": "a", "idempotency_key": "x", "input": 1},
        {"name": "b", "idempotency_key": "x"},
        {"name": "a", "idempotency_key": "x", "input": 2, "queue": "io"},
        {"name": "a"}
    ]') $$,
    $$ values (20::bigint), (21), (20), (23) $$,
    'A key twice is one run and the same id twice: R-131'
);
select is(shown(20, 'input', 'queue'), '1 default', 'The first of the two makes it: R-127');
select is((select count(*) from tenure_private.step), 3::bigint, 'And the second none: R-127');
alter sequence tenure_private.step_id_seq restart with 30;
select results_eq(
    $$ select * from tenure.enqueue_many('[
        {"name": "b", "idempotency_key": "y", "idempotency_period": "1 h"},
        {"name": "b", "idempotency_key": "x"}
    ]') $$,
    $$ values (30::bigint), (21) $$,
    'A key of an earlier call is known: R-127'
);
select set_clock('1 h');
alter sequence tenure_private.step_id_seq restart with 40;
select results_eq(
    $$ select * from tenure.enqueue_many('[{"name": "b", "idempotency_key": "y"}]') $$, $$ values (40::bigint) $$,
    'And is free after its period: R-129'
);
select set_clock('0');

-- Few and many.
select is_empty($$ select tenure.enqueue_many('[]') $$, 'No steps are no ids');
delete from tenure_private.step;
alter sequence tenure_private.step_id_seq restart with 1000;
select results_eq(
    $$ select e.step_id - 999
       from tenure.enqueue_many((
           select jsonb_agg(jsonb_build_object('name', 'n' || g.n % 7, 'input', g.n)) from generate_series(1, 5000) as g (n)
       )) with ordinality as e (step_id, n)
       order by e.n $$,
    $$ select g.n::bigint from generate_series(1, 5000) as g (n) $$,
    'Thousands come back in order: R-131'
);
select is(
    (select count(*) from tenure.step_status as s where (s.input #>> '{}')::bigint = s.step_id - 999), 5000::bigint,
    'Each with its own input'
);
delete from tenure_private.step;

-- All or none.
select
    throws_ok(
        format('select tenure.enqueue_many(''[{"name": "mail", "idempotency_key": "gone"}, %s]'')', e.element),
        e.code,
        null,
        format('%s refuses the whole call: R-132', e.element)
    )
from (
    values
    ('{"name": "mail", "timeuot": "1 s"}', 'TN007'),
    ('{"name": "mail", "quota": "http"}', 'TN007'),
    ('{}', 'TN005'),
    ('{"name": null}', 'TN005'),
    ('{"name": ""}', 'TN005'),
    ('{"name": "mail", "queue": "nowhere"}', 'TN003'),
    ('{"name": "mail", "idempotency_key": ""}', 'TN005'),
    ('{"name": "mail", "timeout": "1 mon"}', 'TN006'),
    ('{"name": "mail", "timeout": "-1 s"}', 'TN006'),
    ('{"name": "mail", "timeout": "soon"}', 'TN007'),
    ('{"name": "mail", "timeout": "42m30x"}', 'TN007'),
    ('{"name": "mail", "timeout": "1e18 s"}', 'TN007'),
    ('{"name": "mail", "timeout": ""}', 'TN007'),
    ('{"name": "mail", "timeout": {"s": 1}}', 'TN007'),
    ('{"name": "mail", "deadline": true}', 'TN007'),
    ('{"name": ["mail"]}', 'TN007'),
    ('{"name": "mail", "delay": {"s": 1}}', 'TN007'),
    ('{"name": "mail", "scheduled_at": ["2030-01-01 00:00:00+00"]}', 'TN007'),
    ('{"name": "mail", "delay": "soon"}', 'TN007'),
    ('{"name": "mail", "delay": "-1 s"}', 'TN006'),
    ('{"name": "mail", "delay": "1 s", "scheduled_at": "2030-01-01 00:00:00+00"}', 'TN007'),
    ('{"name": "mail", "scheduled_at": "tomorrowish"}', 'TN007'),
    ('{"name": "mail", "scheduled_at": "infinity"}', 'TN007'),
    ('{"name": "mail", "scheduled_at": "2030-02-30 00:00:00+00"}', 'TN007'),
    ('{"name": "mail", "priority": 101}', 'TN007'),
    ('{"name": "mail", "priority": 1.5}', 'TN007'),
    ('{"name": "mail", "priority": "high"}', 'TN007'),
    ('{"name": "mail", "max_attempts": 10000000000}', 'TN007'),
    ('{"name": "mail", "max_attempts": [3]}', 'TN007'),
    ('{"name": "mail", "max_reclaims": -2}', 'TN007'),
    ('{"name": "mail", "on_timeout": "kill"}', 'TN007'),
    ('{"name": "mail", "backoff": "fast"}', 'TN007'),
    ('{"name": "mail", "headers": []}', 'TN007'),
    ('"mail"', 'TN007'),
    ('null', 'TN007'),
    ('[{"name": "mail"}]', 'TN007')
) as e (element, code);
select
    throws_ok(
        format('select tenure.enqueue_many(%L)', s.steps), 'TN007', null, format('%s is no array of steps', s.steps)
    )
from (values (null), ('null'), ('{}'), ('"mail"'), ('{"name": "mail"}')) as s (steps);
select throws_ok(
    $$ select tenure.enqueue_many(jsonb_build_array(
        '{"name": "mail"}'::jsonb, jsonb_build_object('name', 'mail', 'input', repeat('x', 1048576)))) $$,
    'TN008', null, 'One input over 1 MB refuses the whole call: R-132, R-149'
);
select throws_ok(
    $$ select tenure.enqueue_many(jsonb_build_array(
        '{"name": "mail"}'::jsonb, jsonb_build_object('name', 'mail', 'headers', jsonb_build_object('h', repeat('x', 65536))))) $$,
    'TN008', null, 'Headers over 64 kB too: R-132, R-149'
);
select is_empty('select from tenure_private.step', 'None of them wrote a step: R-132, R-145');
select is_empty(
    $$ select from tenure_private.idempotency as i where i.key = 'gone' $$, 'Or took a key: R-132, R-145'
);

select * from finish();
rollback;
