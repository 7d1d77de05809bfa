begin;
select plan(51);
\ir ../session.psql
\ir ../tree.psql

-- A discarded child takes its group down, and all that is above.
select tenure.define_workflow('inner', '{"nodes": [
    {"name": "x", "provides": ["a"]}, {"name": "y"}, {"name": "z", "requires": ["a"]}
]}');
select tenure.define_workflow(
    'outer',
    '{"nodes": [
    {"name": "m", "workflow": "inner"}, {"name": "n"}, {"name": "o", "workflow": "inner"}, 
    {"name": "p", "requires": ["later"]}
]}'
);
select tenure.start('outer');
select is(
    tree(1), 'outer waiting_steps, m waiting_steps, n available, o waiting_steps, p skipped, '
    || 'x available, x available, y available, y available, z pending, z pending', 'To begin with'
);
select taken();
select tenure.sleep(9, 'w', 1, '1 h');
select tenure.pause(1);
select tenure.resume(1);
select is(tenure.fail(6, 'w', 1, '{"type": "E"}', 'permanent'), 'discarded', 'A child fails for good');
select is(
    tree(1),
    'outer discarded, m discarded, n cancelled, o cancelled, p skipped, '
    || 'x discarded, x cancelled, y cancelled, y cancelled, z cancelled, z cancelled',
    'and all goes with it, at every depth: R-430'
);
select is(
    (select string_agg(distinct s.cancel_reason, ' ') from tenure.step_status as s where s.run_id = 1),
    'sibling_discarded',
    'The reason: R-430'
);
select is(
    (
        select string_agg(distinct format('%s %s', s.error_kind, s.error), ' ')
        from tenure.step_status as s
        where s.run_id = 1 and s.state = 'discarded'
    ),
    'permanent {"type": "E"}',
    'The groups have the child''s error: R-430'
);
select is(
    (select r.in_flight from tenure.run_status as r where r.run_id = 1),
    3::bigint,
    'Bodies that were at work are in flight until they report'
);
select is(tenure.complete(8, 'w', 1, '1'), 'cancelled', 'A late report is told: R-430');
select is((tenure.heartbeat(3, 'w', 1)).verdict, 'cancelled', 'and a heartbeat: R-430');
select is((select r.in_flight from tenure.run_status as r where r.run_id = 1), 2::bigint, 'and is in flight no more');
select is(
    (select count(*) from tenure.attempt_log as a where a.run_id = 1 and a.kind = 'cancelled'),
    4::bigint,
    'What ran is in the log'
);
select is(
    (
        select string_agg(format('%s %s', a.step_id, a.kind), ', ' order by a.step_id)
        from tenure.attempt_log as a
        where a.run_id = 1 and a.kind <> 'cancelled'
    ),
    '1 permanent, 2 permanent, 6 permanent',
    'so are the attempts of the groups: R-430'
);
select throws_ok($$ select tenure.result(1) $$, 'TN012', null, 'The run was discarded');

-- Retries of the child come first.
select tenure.start('outer');
select taken();
select is(tenure.fail(17, 'w', 1, '{}', retry_after => '0'), 'retrying', 'A failure that is retried');
select is(
    (select s.state from tenure.step_status as s where s.step_id = 13),
    'waiting_steps',
    'does not touch the group: R-430'
);

-- Lease and limits of children, by the sweep.
select tenure_private.expire_lease(18);
select is((select (tenure.sweep()).reclaimed), 1, 'A child''s lease expires like any other');
update tenure_private.step
set deadline_at = tenure_private.clock(), alarm_at = tenure_private.clock()
where step_id = 19;
select tenure.sweep();
select is(
    (select format('%s %s', s.state, s.error_kind) from tenure.step_status as s where s.step_id = 12),
    'discarded deadline',
    'A deadline of a child discards it, and its groups: R-430'
);

-- continue: what can run runs, what needs the failed one is blocked.
select tenure.define_workflow(
    'on',
    '{"on_failure": "continue", "nodes": [
    {"name": "a", "provides": ["x"]}, {"name": "b", "provides": 
    ["y"]}, {"name": "ax", "requires": ["x"], "provides": ["z"]},
    {"name": "az", "requires": ["z"]}, 
    {"name": "by", "requires": ["y"], "optional": ["z"]}
]}'
);
select tenure.start('on');
select taken();
select failed(23, 'a');
select is(
    tree(23),
    'on waiting_steps, a discarded, b running, ax pending, az pending, by pending',
    'The others go on: R-431'
);
select done(23, 'b', '1');
select is(
    taken(),
    'by {"y": 1}',
    'those too that were pending; a key of what is blocked will not come: R-431, R-432'
);
select done(23, 'by');
select is(
    tree(23),
    'on discarded, a discarded, b completed, ax cancelled, az cancelled, by completed',
    'Then the group is discarded, and what was blocked is cancelled: R-431, R-432'
);
select is(
    (select s.error from tenure.step_status as s where s.step_id = 23),
    '{"type": "a"}',
    'with the first error: R-431'
);
select tenure.start('on');
select taken();
select failed(29, 'b');
select set_clock('1 s');
select failed(29, 'a', 'uncertain');
select is(
    tree(29),
    'on discarded, a discarded, b discarded, ax cancelled, az cancelled, by cancelled',
    'Blocked by each other''s failures, it ends: R-432'
);
select is(
    (select s.error from tenure.step_status as s where s.step_id = 29),
    '{"type": "b"}',
    'The first error stays: R-431'
);

-- A group's retry makes new children.
select tenure.define_workflow('sub', '{"nodes": [
    {"name": "s", "provides": ["k"]}, {"name": "t", "requires": ["k"], "provides": ["out"]}
]}');
select tenure.define_workflow(
    'again',
    '{"nodes": [{"name": "m", "workflow": "sub", "provides": ["k", "out"]}, {"name": "end", "requires": ["out"]}]}'
);
select tenure.start('again');
update tenure_private.step
set max_attempts = 3, backoff = '{"kind": "fixed", "base": 10, "jitter": 0}'
where step_id = 36;
select taken();
select done(35, 's', '"first"');
select taken();
select failed(35, 't');
select is(
    tree(35),
    'again waiting_steps, m waiting_timer, end pending, s@1 completed, t@1 discarded',
    'After its delay: R-433'
);
select is(
    shown(36, 'attempt', 'due_at', 'error_kind'),
    '2 2030-01-01T00:00:11+00:00 permanent',
    'the next attempt: permanent ends only the child''s own: R-433, R-435'
);
select is(taken(), null, 'Nothing to do meanwhile');
select set_clock('11 s');
select is((select (tenure.sweep()).woken), 1, 'The sweep opens it: R-433');
select is(
    tree(35),
    'again waiting_steps, m waiting_steps, end pending, s@1 completed, t@1 discarded, s available, t pending',
    'with new children; the old ones stay as they ended: R-433'
);
select is(shown(36, 'attempt', 'due_at'), '2 -', 'the second attempt');
select taken();
select is(tenure.complete(38, 'w', 1, '"late"'), 'completed', 'The same report again gets the same verdict');
select done(35, 's', '"second"');
select is(taken(), 't {"k": "second"}', 'Keys of the old set are unseen: R-433');
select failed(35, 't', 'uncertain');
select is(
    tree(35),
    'again discarded, m discarded, end cancelled, s@1 completed, t@1 discarded, s completed, t discarded',
    'An uncertain failure ends the retries of every group around it: R-434'
);
select is(
    (
        select string_agg(format('%s %s', a.attempt, a.kind), ', ' order by a.attempt)
        from tenure.attempt_log as a
        where a.step_id = 36
    ),
    '1 permanent, 2 uncertain',
    'Both attempts are in the log: R-433'
);

-- Without a delay: at once, in the same call.
select tenure.start('again');
update tenure_private.step
set max_attempts = 2, backoff = '{"kind": "fixed", "base": 0, "jitter": 0}'
where step_id = 43;
select taken();
select failed(42, 's');
select is(
    tree(42),
    'again waiting_steps, m waiting_steps, end pending, s@1 discarded, t@1 cancelled, s available, t pending',
    'A retry without delay: R-433'
);
select taken();
select done(42, 's', '1');
select taken();
select done(42, 't', '2');
select is(
    tree(42),
    'again waiting_steps, m completed, end available, s@1 discarded, t@1 cancelled, s completed, t completed',
    'A later attempt can succeed: R-433'
);
select is((select s.error from tenure.step_status as s where s.step_id = 43), null, 'Its error is cleared: R-433');
select taken();
select done(42, 'end');
select is(tenure.result(42), '{"k": 1, "out": 2}', 'and its outputs are bridged: R-433');

-- The run itself may have attempts.
select tenure.start('sub', max_attempts => 2, backoff => '{"kind": "fixed", "base": 0}');
select taken();
select failed(49, 's');
select is(
    tree(49),
    'sub waiting_steps, s@1 discarded, t@1 cancelled, s available, t pending',
    'The whole is begun anew: R-433'
);
select tenure.cancel(49);

-- Limits of a group.
select set_clock('100 s');
select tenure.start(
    'again',
    timeout => '10 s',
    deadline => '15 s',
    max_attempts => 2,
    backoff => '{"kind": "fixed", "base": 0}'
);
select taken();
select set_clock('109 s');
select is(
    (select format('%s %s', r.timed_out, r.discarded) from tenure.sweep() as r),
    '0 0',
    'Before its timeout nothing happens'
);
select set_clock('110 s');
select is(
    (select format('%s %s', r.timed_out, r.discarded) from tenure.sweep() as r),
    '1 0',
    'At its timeout a group''s attempt ends: R-436'
);
select is(
    tree(54),
    'again waiting_steps, m@1 cancelled, end@1 cancelled, s cancelled, t cancelled, m waiting_steps, '
    || 'end pending, s available, t pending',
    'with all that is below; the next begins: R-436'
);
select is(
    (select string_agg(distinct s.cancel_reason, ' ') from tenure.step_status as s where s.run_id = 54),
    'group_ended',
    'The reason: R-436'
);
select taken();
select set_clock('115 s');
select is(
    (select format('%s %s', r.timed_out, r.discarded) from tenure.sweep() as r),
    '0 1',
    'Its deadline ends it, whatever attempts are left: R-437'
);
select is(
    (
        select format('%s %s %s', s.state, s.error_kind, s.error ->> 'layer')
        from tenure.step_status as s
        where s.step_id = 54
    ),
    'discarded deadline deadline',
    'kind deadline: R-437'
);
select is(
    (select count(*) from tenure.step_status as s where s.run_id = 54 and s.finished_at is null),
    0::bigint,
    'with all that is below: R-437'
);

-- In a backoff, too.
select tenure.start('again');
update tenure_private.step
set
    max_attempts = 3,
    backoff = '{"kind": "fixed", "base": 10, "jitter": 0}',
    deadline_at = tenure_private.clock() + interval '5 s'
where step_id = 64;
select taken();
select failed(63, 's');
select set_clock('120 s');
select tenure.sweep();
select is(
    tree(63),
    'again discarded, m discarded, end cancelled, s@1 discarded, t@1 cancelled',
    'A deadline that ends a backoff: R-437'
);

-- Elements of maps.
select tenure.define_workflow('map', '{"nodes": [{"name": "each", "map": "in", "provides": ["out"]}]}');
select tenure.start('map', '{"in": [0, 1, 2]}');
select taken();
select tenure.release(71, 'w', 1);
select is(failed(68, 'each', 'permanent', 0), 'discarded', 'One of three');
select is(
    (select string_agg(s.state, ' ' order by s.step_id) from tenure.step_status as s where s.run_id = 68),
    'discarded discarded discarded cancelled cancelled',
    'running and waiting ones are cancelled: R-430'
);
select set_clock('300 s');
select is(
    (select format('%s %s %s %s', r.reclaimed, r.timed_out, r.discarded, r.woken) from tenure.sweep() as r),
    '0 0 0 0',
    'The sweep puts none of them back'
);
select is(tenure.complete(72, 'w', 1), 'cancelled', 'A late completion changes nothing');
select is((select count(*) from tenure_private.event), 0::bigint, 'Nothing is left to fold');
select is(broken(), null, 'No terminal group has an open child: R-438');
select * from finish();
rollback;
