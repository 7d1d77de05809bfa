begin;
select plan(66);
\ir ../session.psql
\ir ../tree.psql

select tenure.define_workflow('sub', '{"nodes": [
    {"name": "s", "provides": ["k"]}, {"name": "t", "requires": ["k"], "provides": ["out"]}
]}');
select tenure.define_workflow('w', '{"nodes": [
    {"name": "m", "workflow": "sub", "provides": ["k", "out"]}, {"name": "n"}, {"name": "end", "requires": ["out"]},
    {"name": "each", "map": "in", "provides": ["got"]}
]}');

-- Cancel.
select tenure.start('w', '{"in": [1, 2]}');
select is(
    tree(1),
    'w waiting_steps, m waiting_steps, n available, end pending, each waiting_steps, s available, t pending, '
    || 'each[0] available, each[1] available',
    'To begin with'
);
select tenure.claim(array['default'], 'w', 2);
select is(tenure.cancel(1, 'enough'), 9, 'cancel counts every step: R-440');
select is(
    (
        select string_agg(distinct format('%s %s', s.state, s.cancel_reason), ', ')
        from tenure.step_status as s
        where s.run_id = 1
    ),
    'cancelled enough',
    'and ends each at once: R-440'
);
select is(tenure.cancel(1), 0, 'Again: over: R-440');
select throws_ok($$ select tenure.cancel(2) $$, 'TN002', null, 'Not by a child''s id');
select is(tenure.complete(3, 'w', 1), 'cancelled', 'A late report: R-440');
select is((select count(*) from tenure_private.event), 0::bigint, 'leaves nothing to fold');
select throws_ok($$ select tenure.retry(1) $$, 'TN010', null, 'Cancelled runs stay so: R-445');

-- Pause: what runs goes on, what follows waits.
select tenure.start('w', '{"in": [1, 2]}', timeout => '1 h', deadline => '2 h');
select taken();
select is(tenure.pause(10), 5, 'pause counts what became paused: R-441');
select is(
    tree(10),
    'w paused, m paused, n running, end paused, each paused, s running, t paused, each[0] running, each[1] running',
    'Groups and pending ones, too: R-441'
);
select is(done(10, 's', '1'), 'completed', 'A verdict lands: R-441');
select is(failed(10, 'n', 'retryable'), 'retrying', 'Another');
select is(
    tree(10),
    'w paused, m paused, n paused, end paused, each paused, s completed, t paused, each[0] running, '
    || 'each[1] running',
    'Nothing follows yet: R-441'
);
select done(10, 'each', '1', 0);
select done(10, 'each', '2', 1);
select is(taken(), null, 'Nothing is claimed');
select set_clock('3 h');
select is(
    (select format('%s %s', r.timed_out, r.discarded) from tenure.sweep() as r),
    '0 0',
    'No clock of the run goes on: R-441'
);
select is(
    tree(10),
    'w paused, m paused, n paused, end paused, each paused, s completed, t paused, each[0] completed, '
    || 'each[1] completed',
    'nor does the sweep fold a paused run: R-441'
);
select is(tenure.resume(10), 6, 'resume counts what goes on: R-442');
select is(
    tree(10),
    'w waiting_steps, m waiting_steps, n available, end pending, each completed, s completed, t available, '
    || 'each[0] completed, each[1] completed',
    'and what was waiting follows: R-442'
);
select is(
    shown(10, 'deadline_at', 'started_at'),
    '2030-01-01T05:00:00+00:00 2030-01-01T03:00:00+00:00',
    'Its deadline and its timeout are shifted: R-442'
);
select set_clock('4 h');
select is(
    (select format('%s %s', r.timed_out, r.discarded) from tenure.sweep() as r),
    '1 1',
    'and hold from then: R-442, R-436'
);
select is(broken(), null, 'No terminal group has an open child: R-438');

-- A failure during a pause.
select tenure.start('w', '{"in": [1]}');
select taken();
select tenure.pause(19);
select failed(19, 'n');
select is(
    (select s.state from tenure.step_status as s where s.step_id = 19),
    'paused',
    'A failure in a paused run: R-441'
);
select throws_ok($$ select tenure.retry(21) $$, 'TN010', null, 'cannot be retried meanwhile: R-445');
select tenure.resume(19);
select is(
    tree(19),
    'w discarded, m cancelled, n discarded, end cancelled, each cancelled, s cancelled, t cancelled, '
    || 'each[0] cancelled',
    'ends it at resume: R-442'
);

-- Retry of the child.
select is(tenure.retry(21), 'available', 'retry answers the new state: R-443');
select is(
    tree(19),
    'w waiting_steps, m waiting_steps, n available, end pending, each waiting_steps, s available, t pending, '
    || 'each[0] available',
    'The group is open again, with the siblings that were cancelled with it, pending if they never started, '
    || 'else available: R-443'
);
select is(
    shown(21, 'attempt', 'max_attempts', 'error_kind', 'finished_at'),
    '2 5 - -',
    'The child has another attempt: R-443'
);
select is(shown(24, 'attempt', 'lease_generation', 'reason'), '1 1 -', 'A sibling goes on in the same: R-443');
select is(
    shown(19, 'attempt', 'max_attempts', 'error_kind', 'error', 'finished_at'),
    '1 1 - - -',
    'So does the group, without its error: R-443'
);
select is(tenure.complete(24, 'w', 1, '1'), 'stale', 'A late report of before is stale: R-443');
select is(broken(), null, 'The counts are right: R-438');
select taken();
select done(19, 's', '1');
select done(19, 'each', '1', 0);
select done(19, 'n');
select taken();
select done(19, 't', '2');
select taken();
select is(done(19, 'end'), 'completed', 'To the end');
select is(tenure.result(19), '{"k": 1, "got": [1], "out": 2}', 'the run completes: R-443');

-- Retry of the group: the children that took it down, recursively.
select tenure.start('w', '{"in": [1, 2]}');
select taken();
select done(27, 's', '1');
select taken();
select failed(27, 't');
select is(
    tree(27),
    'w discarded, m discarded, n cancelled, end cancelled, each cancelled, s completed, t discarded, '
    || 'each[0] cancelled, each[1] cancelled',
    'Two levels down'
);
select is(tenure.retry(27, 3), 'waiting_steps', 'retry of the run: R-444');
select is(
    tree(27),
    'w waiting_steps, m waiting_steps, n available, end pending, each waiting_steps, s completed, '
    || 't available, each[0] available, each[1] available',
    'reopens what took it down, at every depth: R-444'
);
select is(
    (
        select string_agg(shown(u.id, 'attempt', 'max_attempts'), ', ' order by u.n)
        from unnest(array[33, 28, 27]) with ordinality as u (id, n)
    ),
    '2 5, 1 3, 1 3',
    'with room for further attempts, of which to go on is the first: R-444'
);
select is(taken(), 'n -, t {"k": 1}, each [0]=1-, each [1]=2-', 'Keys that were published are there: R-444');
select is(broken(), null, 'The counts are right: R-438');

-- Retry in a group that goes on.
select tenure.define_workflow(
    'on',
    '{"on_failure": "continue", "nodes": [{"name": "a", "provides": ["x"]}, {"name": "b"}, {"name": "c", 
    "requires": ["x"]}]}'
);
select tenure.start('on');
select taken();
select failed(36, 'a');
select is(tenure.retry(37), 'available', 'A child of a group that has not ended: R-443');
select is(tree(36), 'on waiting_steps, a available, b running, c pending', 'comes back to it: R-443');
select taken();
select done(36, 'a', '1');
select done(36, 'b');
select taken();
select done(36, 'c');
select is(
    tree(36),
    'on completed, a completed, b completed, c completed',
    'and it can complete, what was blocked with it: R-432, R-443'
);

-- What has completed is not done again when the rest fails once more.
alter sequence tenure_private.step_id_seq restart with 501;
select tenure.define_workflow(
    'pay', '{"nodes": [{"name": "pay", "provides": ["x"]}, {"name": "ship", "requires": ["x"]}]}'
);
select tenure.start('pay');
select taken();
select done(501, 'pay', '1');
select taken();
select failed(501, 'ship');
select tenure.retry(501);
select taken();
select is(failed(501, 'ship'), 'discarded', 'A run that was retried fails again');
select is(
    tree(501), 'pay discarded, pay completed, ship discarded', 'and has no attempt left that would begin anew: R-444'
);
select tenure.retry(501);
select tenure.cancel(501);
alter sequence tenure_private.step_id_seq restart with 40;

-- What cannot come back.
select tenure.start('sub', max_attempts => 2, backoff => '{"kind": "fixed", "base": 0}');
select taken();
select failed(40, 's');
select throws_ok($$ select tenure.retry(41) $$, 'TN010', null, 'A child of an earlier attempt stays as it is: R-445');
select tenure.cancel(40);
select throws_ok($$ select tenure.retry(41) $$, 'TN010', null, 'So does one of a cancelled run: R-445');

-- A group that a limit has ended.
select tenure.start('sub', timeout => '10 s');
select taken();
select done(45, 's', '1');
select set_clock('5 h');
select tenure.sweep();
select is(tree(45), 'sub discarded, s completed, t cancelled', 'A timeout');
select is(tenure.retry(45), 'waiting_steps', 'A group without a discarded child: R-444');
select is(tree(45), 'sub waiting_steps, s completed, t available', 'goes on with those that were cancelled: R-444');
select is(shown(45, 'alarm_at', 'attempt'), '2030-01-01T05:00:10+00:00 1', 'and its timeout begins anew: R-444');

-- Signals and sleeps.
select tenure.start('sub');
select tenure.claim(array['default'], 'w', 1, names => array['s']);
select is(tenure.wait_signal(49, 'w', 1, 'go'), 'waiting', 'A child waits for a signal of its run: R-447');
select is(tenure.signal(48, 'go', '{"by": "me"}'), 'delivered', 'which is sent to the run: R-447');
select is(
    (select c.signal ->> 'payload' from tenure.claim(array['default'], 'w', 9, names => array['s']) as c),
    '{"by": "me"}',
    'and wakes the child: R-447'
);
select is(tenure.sleep(49, 'w', 2, '1 m'), 'sleeping', 'It sleeps');
select set_clock('5 h 1 m');
select is((select (tenure.sweep()).woken), 1, 'and is woken');
select tenure.claim(array['default'], 'w', 9, names => array['s']);
select is(tenure.complete(49, 'w', 3, '7'), 'completed', 'and goes on: R-447');
select is((select s.state from tenure.step_status as s where s.step_id = 50), 'available', 'with what follows');

-- Purge: leaves first, root last, hidden from the first call on.
select tenure.cancel(45);
select tenure.cancel(48);
select tenure.cancel(10);
select set_clock('100 h');
create function rows_of(p_run_id bigint)
returns bigint
language sql
as $$
select
    (select count(*) from tenure_private.step where root_id = p_run_id)
    + (
        select count(*)
        from tenure_private.member as m
        join tenure_private.step as s on s.step_id = m.group_id
        where s.root_id = p_run_id
    )
$$;
select tenure.start('sub');
select tenure.claim(array['default'], 'w', 9, '1000 h', array['s']);
select tenure.cancel(51);
select is(
    (select count(*) from tenure.run_status as r where r.run_id in (1, 10, 19, 36, 40, 45, 48)),
    7::bigint,
    'Seven runs that are over'
);
select is(tenure.purge('1 h', 5), 5, 'purge removes at most so many rows: R-446');
select is(
    (select count(*) from tenure.run_status as r where r.run_id in (1, 10, 19, 36, 40, 45, 48)) < 7,
    true,
    'A run that is begun with is hidden: R-446'
);
select is((select count(*) from tenure.step_status as s where s.run_id = 1), 0::bigint, 'with its children: R-446');
select throws_ok($$ select tenure.status(1) $$, 'TN001', null, 'everywhere: R-446');
-- A child of it that had failed.
update tenure_private.step set state = 'discarded' where step_id in (
    select max(c.step_id) from tenure_private.step as c
    join tenure_private.step as r on r.step_id = c.root_id and r.purging
    where c.parent_id is not null
);
select throws_ok(
    $$select tenure.retry(s.step_id) from tenure_private.step as s
    join tenure_private.step as r on r.step_id = s.root_id and r.purging
    where s.parent_id is not null and s.state = 'discarded'$$,
    'TN017', null, 'Nor can a child of it be retried: R-446'
);
create temporary table purged as select tenure.purge('1 h', 1000) as n;
select is((select n from purged) > 60 and tenure.purge('1 h', 1000) = 0, true, 'In the end all of it: R-446');
select is(
    (
        select
            format(
                '%s %s %s %s',
                (select count(*) from tenure_private.step where root_id <> 27 and root_id <> 51),
                (select count(*) from tenure_private.member where group_id < 27),
                (select count(*) from tenure_private.published where group_id < 27),
                (select count(*) from tenure_private.step_group where step_id < 27)
            )
    ),
    '0 0 0 0',
    'from every table: R-446'
);
select is(
    (select count(*) from tenure.step_status as s where s.run_id in (27, 51)),
    12::bigint,
    'A run that is not over stays whole, and one whose bodies may run: R-446'
);
select * from finish();
rollback;
