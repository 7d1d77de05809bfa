begin;
select plan(5);
\ir ../session.psql
\ir ../tree.psql

-- Children of an execution whose time is over.
select tenure.define_step('kid', max_attempts => 1);
select tenure.define_workflow('limits', '{"nodes": [
    {"name": "timeout", "policy": [{"retry": {"attempts": 2}}, {"timeout": "5 s"}]},
    {"name": "layer", "policy": [{"timeout": "5 s"}, {"retry": {"attempts": 2}}]}
]}');
select
    tenure.define_workflow(
        'mounts', '{"nodes": [{"name": "m", "workflow": "limits", "policy": [{"timeout": "3 s"}]}]}'
    );
select tenure.start('limits');
select taken();
select set_clock('4 s');
select is(tenure.start_child(2, 'w', 1, 'kid') > 3, true, 'Within its limits a step starts children');
select set_clock('5 s');
select
    throws_ok(
        format('select tenure.start_child(%s, %L, 1, %L)', n.step_id, 'w', 'kid'),
        'TN014',
        'the time of the execution is over',
        format('Past a %s it does not: R-453', n.name)
    )
from (values (2, 'timeout'), (3, 'layer')) as n (step_id, name);
select tenure.cancel(1);
create temporary table mounted as select tenure.start('mounts') as run_id;
select taken();
select set_clock('8 s');
select
    throws_ok(
        format('select tenure.start_child(%s, %L, 1, %L)', at(run_id, 'layer'), 'w', 'kid'), 'TN014', null,
        'Nor past a limit of a group around it: R-453'
    )
from mounted;
select is((select count(*) from tenure.step_status as s where s.name = 'kid'), 1::bigint, 'And nothing was made');
select tenure.cancel(run_id) from mounted;
select * from finish();
rollback;
