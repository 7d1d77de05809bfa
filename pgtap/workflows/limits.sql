begin;
select plan(26);
\ir ../session.psql
\ir ../tree.psql

-- A limit that has passed decides, whoever looks first: here no sweep ever does.
select tenure.define_workflow('s', '{"nodes": [{"name": "x", "provides": ["o"]}, {"name": "y", "requires": ["o"]}]}');
select tenure.start('s', deadline => '5 s');
select taken();
select set_clock('5 s');
select is(done(1, 'x', '1'), 'cancelled', 'A child that is in time by its own limits');
select is(tree(1), 's discarded, x cancelled, y cancelled', 'does not save a run whose deadline has passed: R-439');
select is(
    (select format('%s %s', s.error_kind, s.error ->> 'layer') from tenure.step_status as s where s.step_id = 1),
    'deadline deadline', 'kind deadline: R-439'
);

-- The timeout of a mount.
select tenure.define_workflow('one', '{"nodes": [{"name": "x", "provides": ["o"]}]}');
select tenure.define_workflow(
    'mounts',
    '{"nodes": [
        {"name": "m", "workflow": "one", "provides": ["o"], "policy": [{"timeout": 
    "5 s"}]}, {"name": "n", "requires": ["o"]}
    ]}'
);
select tenure.start('mounts');
select taken();
select set_clock('10 s');
select is(done(4, 'x', '1'), 'cancelled', 'The last child of a mount');
select is(tree(4), 'mounts discarded, m discarded, n cancelled, x cancelled', 'whose timeout has passed: R-439');
select is((select s.error_kind from tenure.step_status as s where s.step_id = 5), 'timeout', 'kind timeout: R-439');

-- With a retry around it, and a failure that comes too late to be the reason.
select tenure.define_workflow(
    'again',
    '{"nodes": [{
        "name": "m", "workflow": "one", "provides": ["o"],
        "policy": [{"retry": {"attempts": 3, "delay": "0 s"}}, {"timeout": "5 s"}]
    }]}'
);
select tenure.start('again');
select taken();
select set_clock('15 s');
select done(8, 'x', '1');
select is(
    tree(8),
    'again waiting_steps, m waiting_steps, x@1 cancelled, x available',
    'The next attempt begins: R-439'
);
select is(shown(9, 'attempt'), '2', 'It was an attempt: R-439');
select taken();
select set_clock('20 s');
select failed(8, 'x');
select is(
    (select string_agg(a.kind, ' ' order by a.attempt) from tenure.attempt_log as a where a.step_id = 9),
    'timeout timeout',
    'The limit came before the failure: R-439'
);
select taken();
select is(done(8, 'x', '1'), 'completed', 'In time');
select is(tree(8), 'again completed, m completed, x@1 cancelled, x@2 cancelled, x completed', 'it succeeds');

-- Two levels: the outer one's limit, with the inner one in time.
select tenure.define_workflow('middle', '{"nodes": [{"name": "in", "workflow": "one", "provides": ["o"]}]}');
select tenure.define_workflow(
    'outer', '{"nodes": [{"name": "out", "workflow": "middle", "provides": ["o"], "policy": [{"timeout": "5 s"}]}]}'
);
select tenure.start('outer');
select taken();
select set_clock('30 s');
select is(done(13, 'x', '1'), 'cancelled', 'A step two levels down');
select is(tree(13), 'outer discarded, out discarded, in cancelled, x cancelled', 'of a mount that is late: R-439');
select is(
    (select s.cancel_reason from tenure.step_status as s where s.step_id = at(13, 'in')),
    'group_ended',
    'The reason: R-439'
);
-- A commit in doubt keeps its kind.
select tenure.start('again');
select taken();
select set_clock('40 s');
select failed(17, 'x', 'uncertain');
select is(
    tree(17),
    'again discarded, m discarded, x discarded',
    'An uncertain failure, past the timeout of its mount: R-434'
);
select is(
    (select string_agg(s.error_kind, ' ') from tenure.step_status as s where s.run_id = 17),
    'uncertain uncertain uncertain',
    'is told as what it is: R-439'
);
-- Nor is it lost where a group around that one is late.
select tenure.define_workflow('deep', '{"nodes": [{
    "name": "m", "workflow": "middle", "provides": ["o"],
    "policy": [{"retry": {"attempts": 3, "delay": "0 s"}}, {"timeout": "5 s"}]
}]}');
create temporary table doubtful as select tenure.start('deep') as run_id;
select taken();
select set_clock('45 s');
select failed(d.run_id, 'x', 'uncertain') from doubtful as d;
select is(
    (select tree(d.run_id) from doubtful as d),
    'deep discarded, m discarded, in discarded, x discarded',
    'An uncertain failure, past the timeout of a mount around its own: R-434'
);
select is(
    (select string_agg(s.error_kind, ' ') from doubtful as d join tenure.step_status as s on s.run_id = d.run_id),
    'uncertain uncertain uncertain uncertain',
    'is told as what it is, too: R-439'
);
select is((select tenure.retry(d.run_id) from doubtful as d), 'waiting_steps', 'An operator may retry it');
select is(
    (select tree(d.run_id) from doubtful as d), 'deep waiting_steps, m waiting_steps, in waiting_steps, x available',
    'down to where the doubt was: R-444'
);
select tenure.cancel(d.run_id) from doubtful as d;
-- Nor where it stands in a group that goes on after it, whatever ends that.
select tenure.define_workflow('goes_on', '{"on_failure": "continue", "nodes": [{"name": "x"}, {"name": "y"}]}');
select tenure.define_workflow('beside', '{"nodes": [{"name": "m", "workflow": "goes_on"}, {"name": "z"}]}');
select tenure.define_workflow('top', '{"nodes": [
    {"name": "h", "workflow": "beside", "policy": [{"retry": {"attempts": 3, "delay": "0 s"}}]}
]}');
truncate doubtful;
insert into doubtful select tenure.start('top');
select taken();
select failed(d.run_id, 'x', 'uncertain') from doubtful as d;
select failed(d.run_id, 'z') from doubtful as d;
select is(
    (select tree(d.run_id) from doubtful as d),
    'top discarded, h discarded, m discarded, z discarded, x discarded, y cancelled',
    'A failed sibling: R-434'
);
select tenure.define_workflow('late', '{"nodes": [
    {"name": "h", "workflow": "goes_on", "policy": [{"retry": {"attempts": 3, "delay": "0 s"}}, {"timeout": "1 s"}]}
]}');
truncate doubtful;
insert into doubtful select tenure.start('late');
select taken();
select failed(d.run_id, 'x', 'uncertain') from doubtful as d;
select set_clock('46 s');
select tenure.sweep();
select is(
    (select tree(d.run_id) from doubtful as d), 'late discarded, h discarded, x discarded, y cancelled',
    'A limit: R-434'
);
select is(
    (select s.error_kind from doubtful as d join tenure.step_status as s on s.step_id = d.run_id), 'uncertain',
    'The doubt is told of: R-439'
);

-- Two limits at one instant, seen by the sweep: the outermost decides.
select tenure.define_workflow(
    'both', '{"nodes": [{"name": "x", "policy": [{"timeout": "5 s"}]}]}'
);
create temporary table last as select tenure.start('both', deadline => '5 s') as run_id;
select set_clock('51 s');
select is(
    (select format('%s %s', r.timed_out, r.discarded) from tenure.sweep() as r), '0 1', 'One limit is passed: R-439'
);
select is(
    (select tree(l.run_id) from last as l),
    'both discarded, x cancelled',
    'that of the run, which ends its steps: R-439'
);
select is(broken(), null, 'No terminal group has an open child: R-438');
select * from finish();
rollback;
