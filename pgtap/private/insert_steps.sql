begin;
select plan(9);
\ir ../session.psql

create function settings()
returns tenure_private.settings
language sql
as $$
select tenure_private.resolve('job', null, null, '5 s', '1 h', 3, null, null, null, '10 m', null, null)
$$;

insert into tenure_private.head (track_id, head)
select
    (settings()).track_id as track_id,
    '2030-01-01 00:00:00+00' as head;
select tenure.worker_hello('w', array['default'], true);
select tenure_private.insert_steps(
    settings(), '{1,2}', array['1', 'null']::jsonb[], array[null, '{"h": 1}']::jsonb[],
    array['2030-01-01 00:01:00+00', '2030-01-02 00:00:00+00']::timestamptz[], '2030-01-01 00:00:00+00'
);
select is(
    shown(
        1,
        'state',
        'name',
        'attempt',
        'max_attempts',
        'timeout',
        'scheduled_at',
        'deadline_at',
        'start_by',
        'alarm_at',
        'headers'
    ),
    'available job 1 3 00:00:05 2030-01-01T00:01:00+00:00 2030-01-01T01:00:00+00:00 2030-01-01T00:11:00+00:00'
    ' 2030-01-01T00:11:00+00:00 -', 'One row each, with the policy of all'
);
select is(
    shown(2, 'input', 'headers', 'start_by', 'alarm_at'),
    '- {"h": 1} 2030-01-02T00:10:00+00:00 2030-01-01T01:00:00+00:00',
    'And what is its own'
);
select is((select count(*) from tenure_private.waiter), 1::bigint, 'Nobody is woken for what is not due');
select tenure_private.insert_steps(
    settings(), '{3,4}', array['1', '1']::jsonb[], array[null, null]::jsonb[],
    array['2030-01-02 00:00:00+00', '2030-01-01 00:00:00+00']::timestamptz[], '2030-01-01 00:00:00+00'
);
select is_empty('table tenure_private.waiter', 'One worker is, when one of them is: R-135');
select is_empty('table tenure_private.behind', 'What is due now lies behind no head');
select tenure_private.insert_steps(
    settings(), '{5,6}', array['1', '1']::jsonb[], array[null, null]::jsonb[],
    array['2029-12-31 00:00:00+00', '2029-12-30 00:00:00+00']::timestamptz[], '2030-01-01 00:00:00+00'
);
select is(
    (select b.scheduled_at from tenure_private.behind as b), '2029-12-30 00:00:00+00',
    'A past one is noted: the earliest, R-039'
);
select results_eq(
    $$ select c.step_id from tenure.claim(array['default'], 'w', 10) as c $$, $$ values (6::bigint), (5), (4) $$,
    'And claimed, in its place in line: R-028, R-039'
);
select is_empty(
    'select from tenure_private.step as s where s.tree or s.pausing or s.purging',
    'A new step is none of what it may become'
);
select is(
    shown(1, 'waited', 'lease_generation', 'reclaims', 'releases'), 'false 0 0 0', 'And nothing is counted yet: R-004'
);

select * from finish();
rollback;
