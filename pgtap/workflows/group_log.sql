begin;
select plan(1);
\ir ../session.psql
\ir ../tree.psql

-- Groups are not leased.
select tenure.define_workflow('fails', '{"nodes": [
    {"name": "a"}, {"name": "b", "policy": [{"retry": {"attempts": 1}}]},
    {"name": "c", "policy": [{"retry": {"attempts": 3, "delay": "1 h"}}]}
]}');
create temporary table began as select tenure.start('fails') as run_id;
select taken();
select failed(run_id, 'b') from began;
select is(
    (
        select string_agg(format('%s %s %s', l.name, coalesce(l.owner, '-'), l.generation), ', ' order by l.step_id)
        from tenure.attempt_log as l
    ),
    'fails - 0, a w 1, b w 1, c w 1', 'The attempt of a group has neither owner nor generation'
);
select * from finish();
rollback;
