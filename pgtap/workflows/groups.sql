begin;
select plan(47);
\ir ../session.psql
\ir ../tree.psql

-- A mount: input, bridge, join.
select tenure.define_workflow('inner', '{"nodes": [
    {"name": "one", "requires": ["n"], "optional": ["hint"], "provides": ["half"]},
    {"name": "two", "requires": ["half"], "provides": ["whole", "rest"]}
], "outputs": ["whole", "rest", "half"]}');
select tenure.define_workflow('outer', '{"nodes": [
    {"name": "first", "provides": ["n"]},
    {"name": "sub", "workflow": "inner", "requires": ["n"], "optional": ["hint"], "provides": ["whole", "rest"]},
    {"name": "last", "requires": ["whole"], "optional": ["rest"], "provides": ["sum"]}
]}');
select tenure.start('outer', '{"hint": "h", "other": 1}');
select is(
    tree(1),
    'outer waiting_steps, first available, sub pending, last pending',
    'A mount waits for its keys: R-420'
);
select taken();
select done(1, 'first', '4');
select is(
    tree(1), 'outer waiting_steps, first completed, sub waiting_steps, last pending, one available, two pending',
    'Then its children are made: R-420'
);
select is(
    (select s.input from tenure.step_status as s where s.step_id = 3),
    '{"n": 4, "hint": "h"}',
    'Its keys are their input: R-420'
);
select is(
    (
        select format('%s %s %s', s.parent_id, s.run_id, s.group_attempt)
        from tenure.step_status as s
        where s.step_id = 5
    ),
    '3 1 1',
    'They are under it, in the run: R-420'
);
select is(
    (
        select format('%s %s %s', s.name, s.workflow, s.lease_generation)
        from tenure.step_status as s
        where s.step_id = 3
    ),
    'sub inner 0',
    'A mount bears the name of its node: R-420'
);
select is(taken(), 'one {"n": 4, "hint": "h"}', 'The keys of the mount are all that they see: R-420');
select done(1, 'one', '2');
select taken();
select tenure.stage(6, 'w', 1, 'whole', '"w"');
select done(1, 'two');
select is(
    tree(1), 'outer waiting_steps, first completed, sub completed, last available, one completed, two completed',
    'Its end is the end of its last child, and bridges its outputs: R-420, R-421'
);
select is(
    (select s.output from tenure.step_status as s where s.step_id = 3),
    '{"half": 2, "whole": "w"}',
    'Its output is its workflow''s: R-419'
);
select is(taken(), 'last {"whole": "w"}', 'What was not published there is not there: R-420');
select is(done(1, 'last', '8'), 'completed', 'The end');
select is(
    tenure.result(1),
    '{"n": 4, "sum": 8, "whole": "w"}',
    'Of the mount''s outputs those that it provides are the run''s keys: R-419, R-420'
);

-- Versions.
select tenure.start('outer', '{"n": 1, "v": 1}');
select is(
    tree(7),
    'outer waiting_steps, first available, sub waiting_steps, last pending, one available, two pending',
    'An input can open a mount at once'
);
select tenure.define_workflow(
    'inner',
    '{"nodes": [{"name": "all", "requires": ["n"], "provides": ["whole", "rest"]}]}'
);
select tenure.start('outer', '{"n": 1}');
select is(
    tree(13),
    'outer waiting_steps, first available, sub waiting_steps, last pending, all available',
    'A new run begins with the newest version: R-401'
);
select tenure.define_workflow(
    'outer',
    '{"nodes": [{"name": "wait", "provides": ["n"]}, {"name": "sub", "workflow": "inner", "requires": ["n"]}]}'
);
select tenure.start('outer');
select is(tree(18), 'outer waiting_steps, wait available, sub pending', 'A run of the new versions');
select tenure.define_workflow(
    'inner',
    '{"nodes": [{"name": "newest", "requires": ["n"], "provides": ["whole", "rest"]}]}'
);
select taken();
select done(18, 'wait', '1');
select is(
    tree(18),
    'outer waiting_steps, wait completed, sub waiting_steps, all available',
    'keeps the version that it began with, though the mount is opened later: R-401'
);

-- Depth, and what is skipped.
select tenure.define_workflow(
    'leaf',
    '{"nodes": [{"name": "x", "requires": ["go"], "when": "$.go == true", "provides": ["k"]}]}'
);
select tenure.define_workflow(
    'middle',
    '{"nodes": [{"name": "down", "workflow": "leaf", "requires": ["go"], "provides": ["k"]}]}'
);
select tenure.define_workflow('deep', '{"nodes": [
    {"name": "a", "workflow": "middle", "requires": ["go"], "provides": ["k"]}, {"name": "b", "requires": ["k"]},
    {"name": "c", "optional": ["k"]}
]}');
select tenure.start('deep', '{"go": false}');
select is(
    tree(22), 'deep waiting_steps, a skipped, b skipped, c available, down skipped, x skipped',
    'A group whose children were all skipped is skipped, at every depth, and its keys never come: R-422'
);
select tenure.start('deep', '{"go": true}');
select is(
    tree(28),
    'deep waiting_steps, a waiting_steps, b pending, c pending, down waiting_steps, x available',
    'Three levels'
);
select taken();
select done(28, 'x', '"deep"');
select is(taken(), 'b {"k": "deep"}, c {"k": "deep"}', 'A key comes up through all of them at once: R-420');

-- A map.
select tenure.define_workflow('map', '{"nodes": [
    {"name": "each", "step": "one_file", "map": "files", "optional": ["base"], "provides": ["sizes"]},
    {"name": "sum", "requires": ["sizes"], "provides": ["total"]}
]}');
select tenure.start('map', '{"files": ["a", {"b": 1}, null], "base": "/"}');
select is(
    tree(34),
    'map waiting_steps, each waiting_steps, sum pending, each[0] available, each[1] available, each[2] available',
    'A map has a child for each element: R-423'
);
select is(
    (select string_agg(s.name, ' ' order by s.step_id) from tenure.step_status as s where s.run_id = 34),
    'map each sum one_file one_file one_file',
    'under the handler''s name: R-423'
);
select is(
    taken(), 'each [0]="a"{"base": "/"}, each [1]={"b": 1}{"base": "/"}, each [2]=null{"base": "/"}',
    'whose input is the element, beside the other keys: R-423'
);
select is(done(34, 'each', '3', 2), 'completed', 'The last element first');
select is(tenure.skip(38, 'w', 1, 'no'), 'skipped', 'one skipped');
select is(taken(), null, 'Not before all have ended: R-421');
select is(done(34, 'each', '1', 0), 'completed', 'and the first last');
select is(
    taken(),
    'sum {"sizes": [1, null, 3]}',
    'Outputs are gathered in the elements'' order, null for a skipped one: R-423'
);
select is(
    (select s.output from tenure.step_status as s where s.step_id = 35),
    '[1, null, 3]',
    'They are the map''s output, too: R-423'
);

select tenure.start('map', '{"files": []}');
select is(tree(40), 'map waiting_steps, each completed, sum available', 'Of no elements it completes at once: R-424');
select is(taken(), 'sum {"sizes": []}', 'with an empty array: R-424');
select tenure.start('map', '{"files": [1, 2]}');
select taken();
select tenure.skip(46, 'w', 1, '');
select tenure.skip(47, 'w', 1, '');
select is(
    tree(43), 'map waiting_steps, each skipped, sum available, each[0] skipped, each[1] skipped',
    'All skipped is skipped: R-422'
);
select is(taken(), 'sum {"sizes": [null, null]}', 'and gathers all the same: R-423');
select tenure.start('map', '{"files": {"a": 1}}');
select is(tree(48), 'map discarded, each discarded, sum cancelled', 'No array: R-425');
select is(
    (select format('%s: %s', s.error_kind, s.error) from tenure.step_status as s where s.step_id = 49),
    'permanent: {"kind": "permanent", "step": "each", "type": "MapRefused", "message": '
    || '"key files is no array of at most 10000 elements but object"}',
    'discards the node, permanent: R-425'
);
select tenure.start('map', jsonb_build_object('files', (select jsonb_agg(0) from generate_series(1, 10001))));
select is(
    (select s.error ->> 'message' from tenure.step_status as s where s.step_id = 52),
    'key files is no array of at most 10000 elements but an array of 10001 elements', 'Nor more than 10,000: R-425'
);

-- A map of workflows.
alter sequence tenure_private.step_id_seq restart with 20001;
select tenure.define_workflow(
    'file',
    '{"nodes": [{"name": "read", "requires": ["name"], "provides": ["text"]}, {"name": "count", "requires": 
    ["text"], "provides": ["words"]}], "outputs": ["words"]}'
);
select tenure.define_workflow(
    'files',
    '{"nodes": [{"name": "all", "map": "files", "workflow": "file", "provides": ["counts"]}]}'
);
select tenure.start('files', '{"files": [{"name": "a"}, {"name": "b"}, {}]}');
select is(
    tree(20001),
    'files waiting_steps, all waiting_steps, all[0] waiting_steps, all[1] waiting_steps, all[2] skipped, '
    || 'read available, read available, read skipped, count pending, count pending, count skipped',
    'Each element is a mount, with the element as its input: R-426'
);
select is(taken(), 'read {"name": "a"}, read {"name": "b"}', 'Its members are the keys: R-426');
select tenure.complete(20006, 'w', 1, '"aa"');
select tenure.complete(20007, 'w', 1, '"bb"');
select is(taken(), 'count {"text": "aa"}, count {"text": "bb"}', 'Each has keys of its own: R-426');
select tenure.complete(20010, 'w', 1, '20');
select tenure.complete(20009, 'w', 1, '10');
select is(
    tenure.result(20001),
    '{"counts": [{"words": 10}, {"words": 20}, null]}',
    'Their outputs are gathered: R-426'
);
alter sequence tenure_private.step_id_seq restart with 21001;
select tenure.start('files', '{"files": [{"name": "a"}, "no object", null]}');
select is(
    tree(21001),
    'files discarded, all discarded, all[0] cancelled, all[1] discarded, all[2] discarded, '
    || 'read cancelled, count cancelled',
    'An element that is no object fails its map: R-454'
);
select is(
    (
        select format('%s %s %s', s.error_kind, s.error ->> 'kind', s.error ->> 'message')
        from tenure.step_status as s
        where s.step_id = 21004
    ),
    'permanent permanent element 1 of the map is no object but string', 'It says so: R-454'
);
select is(tenure.retry(21004), 'discarded', 'A retry finds what was there: R-454');
select is(broken(), null, 'No terminal group has an open child: R-438');

-- Two ends at once, in one batch.
select tenure.define_workflow(
    'pair',
    '{"nodes": [{"name": "a", "provides": ["x"]}, {"name": "b", "provides": ["y"]}, {"name": "c", 
    "requires": ["x", "y"], "provides": ["z"]}]}'
);
alter sequence tenure_private.step_id_seq restart with 30001;
select tenure.start('pair');
select taken();
select is(
    (
        select string_agg(v.verdict, ' ')
        from tenure.complete_many(array[30003, 30002], 'w', array[1, 1], array['2', '1']::jsonb[]) as v
    ),
    'completed completed',
    'A batch publishes: R-417'
);
select is(taken(), 'c {"x": 1, "y": 2}', 'for both, and the join is made once: R-417, R-421');
select is(done(30001, 'c', '3'), 'completed', 'The end');
select is((select count(*) from tenure_private.event), 0::bigint, 'Nothing is left to fold');
select is(broken(), null, 'No terminal group has an open child: R-438');
select * from finish();
rollback;
