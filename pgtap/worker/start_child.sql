begin;
select plan(36);
\ir ../session.psql
\ir ../tree.psql

create function started(p_step_id bigint, p_name text, p_key text default null, p_delay interval default null)
returns bigint
language sql
as $$ select tenure.start_child(p_step_id, 'w', 1, p_name, '{"in": 1}', idempotency_key => p_key, delay => p_delay) $$;

-- In a group it is one more to wait for.
select tenure.define_step('late', max_attempts => 1);
select tenure.define_workflow('w', '{"nodes": [{"name": "a", "provides": ["x"]}, {"name": "b", "requires": ["x"]}]}');
select tenure.start('w', headers => '{"trace": "t"}');
select taken();
select is(started(2, 'late', 'k'), 4::bigint, 'start_child returns the child''s id: R-450');
select is(
    (
        select format('%s %s %s %s %s %s', s.run_id, s.parent_id, s.name, s.state, s.input, s.headers)
        from tenure.step_status as s
        where s.step_id = 4
    ),
    '1 1 late available {"in": 1} {"trace": "t"}',
    'It belongs to the run, beside the step that started it: R-450'
);
select is(started(2, 'late', 'k'), 4::bigint, 'A key returns the first child: R-452');
select tenure.enqueue('late', idempotency_key => 'k');
select is(started(2, 'late', 'other'), 7::bigint, 'Keys of children are not those of jobs: R-452');
select done(1, 'a', '1');
select is(taken(), 'b {"x": 1}, late -, late -, late -', 'All are claimed');
select done(1, 'b');
select is(
    (select s.state from tenure.step_status as s where s.step_id = 1),
    'waiting_steps',
    'The group waits for them: R-450'
);
select is(tenure.complete(4, 'w', 1, '1'), 'completed', 'One ends');
select is(
    (select s.state from tenure.step_status as s where s.step_id = 1),
    'waiting_steps',
    'The group waits: R-421'
);
select is(tenure.complete(7, 'w', 1, '1'), 'completed', 'The last ends');
select is(
    (select s.state from tenure.step_status as s where s.step_id = 1),
    'completed',
    'and the group with it: R-450'
);
select is(tenure.result(1), '{"x": 1}', 'Its output is no key: R-450');
select is(broken(), null, 'No terminal group has an open child: R-438');

-- Its failure is the group's.
select tenure.start('w');
select taken();
select started(9, 'late');
select taken();
select is(tenure.fail(11, 'w', 1, '{"type": "E"}', 'permanent'), 'discarded', 'A child that fails');
select is(tree(8), 'w discarded, a cancelled, b cancelled, late discarded', 'fails the group: R-450');
select throws_ok($$ select started(9, 'late') $$, 'TN014', null, 'Nothing is started without the lease: R-453');
select is(tenure.retry(11), 'available', 'It can be retried');
select is(tree(8), 'w waiting_steps, a available, b pending, late available', 'like any child: R-443');

-- Of a plain job.
select tenure.enqueue('plain');
select tenure.claim(array['default'], 'w', 1, names => array['plain']);
select is(started(12, 'late'), 13::bigint, 'A plain job starts a child');
select is(
    (select format('%s %s', s.run_id, s.parent_id) from tenure.step_status as s where s.step_id = 13),
    '12 12',
    'of its own: R-451'
);
select tenure.claim(array['default'], 'w', 9, names => array['late']);
select is(started(13, 'late'), 14::bigint, 'which starts another');
select is(
    (select format('%s %s', s.run_id, s.parent_id) from tenure.step_status as s where s.step_id = 14),
    '12 12',
    'beside it: R-451'
);
select is(tenure.complete(13, 'w', 1), 'completed', 'A child ends');
select is(tree(12), 'plain running, late completed, late available', 'The job goes on: R-451');
select is(tenure.complete(12, 'w', 1, '1'), 'completed', 'The job ends');
select is(
    tree(12),
    'plain completed, late completed, late cancelled',
    'and what it started is cancelled with it: R-451'
);
select is(
    (select s.cancel_reason from tenure.step_status as s where s.step_id = 14),
    'parent_ended',
    'The reason: R-451'
);
select is(broken(), null, 'No terminal step has an open child: R-438');
select tenure.enqueue('plain');
select tenure.claim(array['default'], 'w', 1, names => array['plain']);
select started(15, 'late');
select is(tenure.cancel(15), 2, 'Cancel of the job reaches them: R-451, R-440');
select tenure.enqueue('plain', max_attempts => 1);
select tenure.claim(array['default'], 'w', 1, names => array['plain']);
select started(17, 'late', 'k');
select tenure.fail(17, 'w', 1, '{}');
select is(tree(17), 'plain discarded, late cancelled', 'A failure of the job, too: R-451');
select is(tenure.retry(17), 'available', 'Its retry');
select is(tree(17), 'plain available, late available', 'brings them back: R-443');

-- Paused runs, delays, refusals.
select tenure.claim(array['default'], 'w', 1, names => array['plain']);
select tenure.pause(17);
select is(tenure.start_child(17, 'w', 2, 'late', idempotency_key => 'k'), 18::bigint, 'The first child');
create temporary table held as select tenure.start_child(17, 'w', 2, 'late', delay => '1 m') as step_id;
select is(
    (
        select format('%s %s %s', s.state, s.paused_state, s.scheduled_at)
        from held as h
        join tenure.step_status as s on s.step_id = h.step_id
    ),
    'paused available 2030-01-01 00:01:00+00',
    'What is started in a paused run is paused: R-453'
);
select tenure.resume(17);
select is(
    (select s.state from held as h join tenure.step_status as s on s.step_id = h.step_id),
    'available',
    'and goes on with it: R-453'
);
select throws_ok(
    $$ select tenure.start_child(17, 'w', 2, 'late', queue => 'nope') $$,
    'TN003',
    null,
    'Refused as by enqueue: R-453'
);
select throws_ok(
    $$ select tenure.start_child(999, 'w', 2, 'late') $$,
    'TN014',
    null,
    'An unknown step has no lease: R-453'
);
select * from finish();
rollback;
