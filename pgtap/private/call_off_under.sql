begin;
select plan(7);
\ir ../session.psql
\ir ../tree.psql

select tenure.define_workflow('low', '{"nodes": [{"name": "x"}, {"name": "y"}]}');
select tenure.define_workflow('top', '{"nodes": [{"name": "m", "workflow": "low"}, {"name": "z"}]}');
select tenure.start('top');
select taken();
select done(1, 'x');
select tenure_private.call_off_under(2, 'why', tenure_private.clock());
select is(
    tree(1), 'top waiting_steps, m waiting_steps, z running, x completed, y cancelled',
    'What is unfinished below is cancelled, not the group itself'
);
select is(
    (select s.cancel_reason from tenure.step_status as s where s.step_id = at(1, 'y')),
    'why',
    'with the reason'
);
select is(
    (select format('%s %s', g.ending, g.doomed) from tenure_private.step_group as g where g.step_id = 2), 'why f',
    'The group is ending'
);
select is((select count(*) from tenure_private.event), 0::bigint, 'Nobody was in the way');
select tenure.start('top');
select taken();
select tenure_private.call_off_under(6, 'why', tenure_private.clock());
select is(
    tree(6), 'top waiting_steps, m cancelled, z cancelled, x cancelled, y cancelled', 'At every depth'
);
select is(
    (
        select string_agg(format('%s %s', g.ending, g.doomed), ', ' order by g.step_id)
        from tenure_private.step_group as g
        where g.step_id > 5
    ),
    'why f, why t',
    'Groups below are doomed: the one above ends them'
);
select is(
    (select count(*) from tenure.attempt_log as a where a.run_id = 6 and a.kind = 'cancelled'), 3::bigint,
    'Those that ran are in the log'
);
select * from finish();
rollback;
