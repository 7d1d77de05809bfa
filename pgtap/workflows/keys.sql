begin;
select plan(50);
\ir ../session.psql
\ir ../tree.psql

-- A chain, an optional key, an input.
select tenure.define_workflow('w', '{"nodes": [
    {"name": "fetch", "requires": ["url"], "optional": ["etag"], "provides": ["page"]},
    {"name": "parse", "requires": ["page"], "provides": ["title", "body"]},
    {"name": "store", "requires": ["title"], "optional": ["body", "url"], "provides": ["id"]},
    {"name": "index", "requires": ["body"], "provides": ["words"]}
], "outputs": ["id", "words", "url"]}');
select tenure.start('w', '{"url": "u"}');
select is(
    tree(1),
    'w waiting_steps, fetch available, parse pending, store pending, index pending',
    'Keys of the input are there: R-410'
);
select is(taken(), 'fetch {"url": "u"}', 'claimed.keys has the keys that are there, required and optional: R-411');
select is(done(1, 'fetch', '"<p>"'), 'completed', 'The output');
select is(
    tree(1),
    'w waiting_steps, fetch completed, parse available, store pending, index pending',
    'is published under the one provided key: R-412'
);
select is(taken(), 'parse {"page": "<p>"}', 'and the next node has it: R-411');
select is(tenure.stage(3, 'w', 1, 'title', '"t"'), 'staged', 'A step of two keys stages them: R-415');
select is(
    tree(1),
    'w waiting_steps, fetch completed, parse running, store pending, index pending',
    'Nobody sees what is staged: R-415'
);
select is(done(1, 'parse', '"not a key"'), 'completed', 'It publishes one of the two');
select is(
    tree(1),
    'w waiting_steps, fetch completed, parse completed, store available, index skipped',
    'The other will never come: who requires it is skipped, who takes it as an option is not: R-413'
);
select is(taken(), 'store {"url": "u", "title": "t"}', 'An optional key that never came is left out: R-411');
select is(done(1, 'store', '7'), 'completed', 'The last');
select is(
    tree(1),
    'w completed, fetch completed, parse completed, store completed, index skipped',
    'ends the run: R-421'
);
select is(tenure.result(1), '{"id": 7, "url": "u"}', 'Its output is an object of its outputs that are there: R-419');
select is(
    (select s.skip_reason from tenure.step_status as s where s.step_id = 5),
    'missing_key',
    'The reason is kept: R-413'
);

-- Skipping spreads, and needs no running step.
select tenure.define_workflow('s', '{"nodes": [
    {"name": "a", "requires": ["nowhere"], "provides": ["x"]}, {"name": "b", "requires": ["x"], "provides": ["y"]},
    {"name": "c", "optional": ["y"], "provides": ["z"]}
]}');
select tenure.start('s');
select is(
    tree(6),
    's waiting_steps, a skipped, b skipped, c available',
    'A key that nobody provides skips all behind it, not what takes it as an option: R-413'
);
select taken();
select is(done(6, 'c'), 'completed', 'NULL');
select is(
    tenure.result(6),
    '{"z": null}',
    'is published as JSON null, and by default all published keys are the output: R-412, R-419'
);
select tenure.start('s', '{"nowhere": 1}');
select taken();
select is(tenure.skip(11, 'w', 1, 'no'), 'skipped', 'A step that is skipped');
select is(
    tree(10),
    's waiting_steps, a skipped, b skipped, c available',
    'publishes nothing that it has not staged: R-413'
);

-- Skipped steps publish what they staged.
select tenure.start('s', '{"nowhere": 1}');
select taken();
select tenure.stage(15, 'w', 1, 'x', '"early"');
select tenure.stage(15, 'w', 1, 'x', '"late"');
select is(
    tenure.staged(15, 'w', 1, 'x'),
    '"late"',
    'A later write takes the place of an earlier, and the attempt reads its own: R-415'
);
select tenure.skip(15, 'w', 1, 'no');
select is(
    tree(14),
    's waiting_steps, a skipped, b available, c pending',
    'A skipped step publishes what it staged: R-417'
);
select is(taken(), 'b {"x": "late"}', 'and the next has it: R-417');

-- Staged values belong to the attempt.
select tenure.define_workflow('t', '{"nodes": [{"name": "a", "provides": ["x", "y"]}]}');
select tenure.start('t');
select taken();
select tenure.stage(19, 'w', 1, 'x', '1');
select tenure.sleep(19, 'w', 1, '1 s');
select set_clock('1 s');
select tenure.sweep();
select taken();
select is(tenure.staged(19, 'w', 2, 'x'), '1', 'A sleep keeps them: R-416');
select tenure.wait_signal(19, 'w', 2, 'go');
select tenure.signal(18, 'go');
select taken();
select is(tenure.staged(19, 'w', 3, 'x'), '1', 'A signal wait keeps them: R-416');
select tenure.release(19, 'w', 3);
select taken();
select is(tenure.staged(19, 'w', 4, 'x'), null, 'A release drops them: R-416');
select tenure.stage(19, 'w', 4, 'x', '2');
select tenure_private.expire_lease(19);
select tenure.sweep();
select taken();
select is(tenure.staged(19, 'w', 5, 'x'), null, 'So does a lease that expires: R-416');
select tenure.stage(19, 'w', 5, 'x', '3');
select tenure.fail(19, 'w', 5, '{}', retry_after => '0');
select taken();
select is(tenure.staged(19, 'w', 6, 'x'), null, 'And a failure: R-416');
update tenure_private.step set timeout = '5 s' where step_id = 19;
select tenure.stage(19, 'w', 6, 'x', '4');
select set_clock('10 s');
select is(tenure.stage(19, 'w', 6, 'y', '4'), 'timed_out', 'Past a limit nothing more is staged: R-415');
select is(tenure.complete(19, 'w', 6), 'timed_out', 'The timeout');
select set_clock('30 s');
select taken();
select is(tenure.staged(19, 'w', 7, 'x'), null, 'drops them: R-416');
select is(tenure.stage(19, 'w', 6, 'x', '5'), 'stale', 'An old generation stages nothing: R-415');
select is(tenure.stage(19, 'v', 7, 'x', '5'), 'stale', 'Nor does another owner: R-415');
select throws_ok($$ select tenure.staged(19, 'w', 6, 'x') $$, 'TN014', null, 'And reads nothing: R-415');
select throws_ok(
    $$ select tenure.stage(19, 'w', 7, 'z', '5') $$,
    'TN007',
    null,
    'A key that is not provided is refused: R-415'
);
select tenure.cancel(18);
select is(tenure.stage(19, 'w', 7, 'x', '5'), 'cancelled', 'After a cancel it says so: R-415');
select tenure.enqueue('plain');
select taken();
select throws_ok(
    $$ select tenure.stage(20, 'w', 1, 'x', '5') $$,
    'TN007',
    null,
    'A plain job provides no key: R-415'
);

-- All or none.
select tenure.define_workflow(
    'k',
    '{"nodes": [{"name": "a", "provides": ["x", "y"]}, {"name": "b", "optional": ["y"]}]}'
);
select tenure.start('k', '{"x": "mine"}');
select taken();
select tenure.stage(22, 'w', 1, 'x', '1');
select tenure.stage(22, 'w', 1, 'y', '2');
select is(tenure.complete(22, 'w', 1), 'retrying', 'A key that is there already: R-418');
select is(
    shown(22, 'state', 'error_kind', 'attempt'),
    'available output_conflict 2',
    'is a failed attempt of its own kind: R-418'
);
select is(
    (select count(*) from tenure_private.published where group_id = 21),
    0::bigint,
    'None of its keys is published: R-418'
);
update tenure_private.step set attempt = 5, scheduled_at = tenure_private.clock() where step_id = 22;
select taken();
select tenure.stage(22, 'w', 2, 'x', '1');
select is(tenure.skip(22, 'w', 2, 'no'), 'discarded', 'A skip meets the same: R-418');
select is(tree(21), 'k discarded, a discarded, b cancelled', 'The last one fails the group: R-430');

-- when.
select tenure.define_workflow('when', '{"nodes": [
    {"name": "a", "requires": ["n"], "when": "$.n > 5", "provides": ["x"]},
    {"name": "b", "requires": ["n"], "optional": ["x"], "when": "$.x == null || $.n == 1", "provides": ["y"]},
    {"name": "c", "requires": ["n"], "when": "$.n.deeper", "provides": ["z"]}
]}');
select tenure.start('when', '{"n": 7}');
select is(
    tree(24),
    'when waiting_steps, a available, b pending, c skipped',
    'True; not yet to be judged; no boolean: R-414'
);
select taken();
select done(24, 'a', '1');
select is(
    tree(24),
    'when completed, a completed, b skipped, c skipped',
    'False, judged when the optional key was there: R-414'
);
select tenure.start('when', '{"n": 1}');
select is(
    tree(28),
    'when waiting_steps, a skipped, b available, c skipped',
    'Judged as soon as the optional key can never come: R-414'
);
select is(
    (select s.skip_reason from tenure.step_status as s where s.step_id = 29),
    'when',
    'The reason is kept: R-414'
);
select tenure.start('when', '{"n": "seven"}');
select is(
    tree(32),
    'when skipped, a skipped, b skipped, c skipped',
    'What cannot be compared is not true; all skipped is skipped: R-414, R-422'
);
select is(tenure.result(32), null, 'and has no result: R-422');
select tenure.start('t', '{"y": "mine"}');
select taken();
create temporary table last as
select
    max(s.step_id) as step_id,
    max(s.run_id) as run_id
from tenure.step_status as s;
select tenure.stage(l.step_id, 'w', 1, 'x', '1') from last as l;
select tenure.complete(l.step_id, 'w', 1) from last as l;
select is(
    (select tenure.result(l.run_id) from last as l), '{"x": 1}',
    'By default the output has what was published, not what was given: R-419'
);
select is(broken(), null, 'No terminal group has an open child: R-438');
-- Who has none.
select tenure.cancel(r.run_id) from tenure.run_status as r where r.finished_at is null;
select tenure.define_workflow('none', '{"nodes": [
    {"name": "asks", "optional": ["gone"]}, {"name": "asks_not"}, {"name": "each", "map": "l", "provides": ["all"]}
]}');
select tenure.start('none', '{"l": [1]}');
select tenure.start_child(c.step_id, 'w', 1, 'started') from tenure.claim('{default}', 'w', 1, names => '{asks}') as c;
select tenure.enqueue('plain');
select tenure.release(s.step_id, 'w', 1) from tenure.step_status as s where s.name = 'asks' and s.state = 'running';
select is(
    (
        select string_agg(format('%s %s', c.name, coalesce(c.keys::text, 'NULL')), ', ' order by c.name)
        from tenure.claim('{default}', 'w', 9) as c
    ),
    'asks {}, asks_not {}, each {}, plain NULL, started {}',
    'In a workflow keys is an object: R-411'
);
select * from finish();
rollback;
