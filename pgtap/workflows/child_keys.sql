begin;
select plan(4);
\ir ../session.psql
\ir ../tree.psql

-- A set of children that is begun anew starts its own.
select tenure.define_step('kid', max_attempts => 1);
select set_clock('1 m');
select tenure.define_workflow('once', '{"nodes": [{"name": "x", "policy": [{"retry": {"attempts": 1}}]}]}');
select tenure.define_workflow('twice', '{"nodes": [
    {"name": "m", "workflow": "once", "policy": [{"retry": {"attempts": 2, "delay": "1 s"}}]}
]}');
create temporary table sets as select tenure.start('twice') as run_id;
select taken();
create function kid(p_key text)
returns bigint
language sql
as $$
select tenure.start_child(s.step_id, 'w', s.lease_generation, 'kid', idempotency_key => p_key)
from sets
join tenure.step_status as s on s.step_id = at(sets.run_id, 'x')
$$;
create temporary table kids as select kid('k') as first;
select is(kid('k'), first, 'A key finds the child of this attempt of the group: R-452') from kids;
select failed(run_id, 'x', 'retryable') from sets;
select is(
    (select format('%s %s', s.state, s.cancel_reason) from kids join tenure.step_status as s on s.step_id = kids.first),
    'cancelled sibling_discarded', 'which goes with it'
);
select set_clock('1 m 1 s');
select tenure.sweep();
select taken();
create temporary table seconds as select kid('k') as second;
select is(s.second > k.first, true, 'In the next it makes another: R-452') from seconds as s cross join kids as k;
select is(kid('k'), second, 'and finds that') from seconds;
select tenure.cancel(run_id) from sets;
select * from finish();
rollback;
