begin;
select plan(31);
\ir ../session.psql
\ir ../tree.psql

select tenure.create_queue('io');
select tenure.define_step('tagged', queue => 'io', priority => 5);
select tenure.define_workflow('w', '{"nodes": [
    {"name": "a", "provides": ["x"]}, {"name": "b", "requires": ["x"], "provides": ["y"]},
    {"name": "c", "step": "tagged"}, {"name": "d", "step": "tagged", "queue": "default", "priority": -1}
]}');

-- Nodes begin as the keys allow.
select is(tenure.start('w'), 1::bigint, 'start returns the run''s id');
select is(
    tree(1),
    'w waiting_steps, a available, b pending, c available, d available',
    'The run waits for its nodes: R-405'
);
select is(
    (
        select format('%s %s %s %s', s.run_id, s.parent_id, s.name, s.max_attempts)
        from tenure.step_status as s
        where s.step_id = 4
    ),
    '1 1 tagged 5',
    'A child belongs to the run, under its handler''s name: R-405'
);
select is(
    (
        select format('%s %s %s %s %s', s.name, s.workflow, s.workflow_version, s.max_attempts, s.lease_generation)
        from tenure.step_status as s
        where s.step_id = 1
    ),
    'w w 1 1 0',
    'The run bears the name of its workflow and has one attempt: R-405'
);
select tenure.start('w', queue => 'io', priority => 7);
select is(
    (
        select string_agg(format('%s %s %s', s.node, s.queue, s.priority), ', ' order by s.step_id)
        from tenure.step_status as s
        where s.run_id = 6 and s.node is not null
    ),
    'a io 7, b io 7, c io 5, d default -1',
    'queue and priority: the node''s, else the definition''s, else the run''s: R-406'
);
select is(taken(), 'a -, d -, d -', 'Claims take them as any steps');

-- A delay holds the first ones up.
select is(
    tenure.start(
        'w',
        '{"in": 1}',
        delay => '90 s',
        headers => '{"trace": "t"}',
        deadline => '1 h',
        timeout => '10 m',
        backoff => '{"base": 3}',
        max_attempts => 4
    ),
    11::bigint,
    'A run to begin later'
);
select is(
    (
        select
            string_agg(
                format('%s %s %s', s.node, s.state, s.scheduled_at - timestamptz '2030-01-01 00:00:00+00'),
                ', ' order by s.step_id
            )
        from tenure.step_status as s
        where s.run_id = 11 and s.state = 'available'
    ),
    'a available 00:01:30, c available 00:01:30, d available 00:01:30',
    'delay is that of the first children: R-406'
);
select is(
    (
        select format('%s %s %s %s %s', s.timeout, s.deadline, s.max_attempts, s.backoff, s.input)
        from tenure.step_status as s
        where s.step_id = 11
    ),
    '00:10:00 01:00:00 4 {"base": 3} {"in": 1}',
    'The other parameters are the run''s: R-406'
);
select is(
    (select count(*) from tenure.step_status as s where s.run_id = 11 and s.headers = '{"trace": "t"}'), 5::bigint,
    'Headers go to each step: R-406'
);
select is(
    shown(11, 'alarm_at'),
    '2030-01-01T00:11:30+00:00',
    'The timeout of its attempt counts from when that is due: R-436'
);
select set_clock('90 s');
select is(taken(), 'a -, d -', 'Then they are claimed');

-- Neither a step of the same name nor the bounds of a queue are the run's.
select tenure.define_step('w', deadline => '1 s', max_attempts => 3);
select tenure.create_queue('d', 'delivery');
create temporary table plain as select tenure.start('w', queue => 'd', timeout => '1 h') as run_id;
select is(
    (
        select format('%s %s %s %s', s.deadline, s.max_attempts, s.timeout, s.queue)
        from plain as p
        join tenure.step_status as s on s.step_id = p.run_id
    ),
    ' 1 01:00:00 d',
    'A run has what start says alone: R-406'
);
select is(
    (select s.timeout from plain as p join tenure.step_status as s on s.run_id = p.run_id and s.node = 'a'), '30 s',
    'The queue''s default is its steps'': R-406'
);
select tenure.cancel(p.run_id) from plain as p;

-- Keys of idempotency.
select tenure.enqueue('w', idempotency_key => 'k');
select is(tenure.start('w', idempotency_key => 'k'), 22::bigint, 'A workflow''s key is no step''s: R-407');
select is(tenure.start('w', '{"in": 2}', idempotency_key => 'k'), 22::bigint, 'Again: the first run: R-407');
select is((select count(*) from tenure.run_status as r where r.name = 'w'), 6::bigint, 'And no other is made');
select is(tenure.start('w', idempotency_key => 'p', idempotency_period => '1 h'), 28::bigint, 'For a period');
select set_clock('2 h');
select is(tenure.start('w', idempotency_key => 'p') > 28, true, 'and no longer: R-407');

-- Refusals.
create function refused(p_call text)
returns text
language plpgsql
as $$
begin
    execute p_call;
    return 'not refused';
exception when others then
    return sqlstate;
end
$$;
select is(refused($$select tenure.start('nope')$$), 'TN030', 'R-408: unknown workflow');
select is(refused($$select tenure.start(null)$$), 'TN005', 'R-408: NULL');
select is(refused($$select tenure.start('w', '[1]')$$), 'TN007', 'R-408: an input that is no object');
select is(refused($$select tenure.start('w', queue => 'nope')$$), 'TN003', 'R-408: unknown queue');
select is(
    refused($$select tenure.start('w', on_timeout => 'wait')$$),
    'TN007',
    'R-408: what only a claimed step has'
);
select is(refused($$select tenure.start('w', max_reclaims => 1)$$), 'TN007', 'R-408: max_reclaims');
select is(refused($$select tenure.start('w', start_within => '1 s')$$), 'TN007', 'R-408: start_within');
select is(refused($$select tenure.start('w', progress_timeout => '1 s')$$), 'TN007', 'R-408: progress_timeout');
select is(
    refused($$select tenure.start('w', delay => '1 s', scheduled_at => '2031-01-01')$$),
    'TN007',
    'R-408: two times'
);
select is(refused($$select tenure.start('w', deadline => '1 month')$$), 'TN006', 'R-408: durations');
select is(
    refused($$select tenure.start('w', jsonb_build_object('x', repeat('x', 1048577)))$$),
    'TN008',
    'R-408: sizes'
);
select is(broken(), null, 'No terminal group has an open child: R-438');
select * from finish();
rollback;
