begin;
select plan(4);
\ir ../session.psql
\ir ../tree.psql

-- What was cancelled with a sibling had still to wait.
select tenure.define_step('kid', max_attempts => 1);
select set_clock('2 m');
select tenure.define_workflow('fails', '{"nodes": [
    {"name": "a"}, {"name": "b", "policy": [{"retry": {"attempts": 1}}]},
    {"name": "c", "policy": [{"retry": {"attempts": 3, "delay": "1 h"}}]}
]}');
create temporary table failing as select tenure.start('fails') as run_id;
select taken();
select tenure.start_child(at(run_id, 'a'), 'w', 1, 'kid', delay => '1 day') from failing;
select is(failed(run_id, 'c', 'retryable'), 'retrying', 'A backoff of an hour') from failing;
select failed(run_id, 'b') from failing;
select is(tree(run_id), 'fails discarded, a cancelled, b discarded, c cancelled, kid cancelled', 'All ended together')
from failing;
select set_clock('3 m');
select is(tenure.retry(run_id), 'waiting_steps', 'Reopened together') from failing;
select
    is(
        (
            select
                string_agg(
                    format('%s %s', coalesce(s.node, s.name), s.scheduled_at - '2030-01-01 00:00:00+00'),
                    ', ' order by s.step_id
                )
            from tenure.step_status as s where s.parent_id = failing.run_id
        ),
        'a 00:03:00, b 00:03:00, c 01:02:00, kid 1 day 00:02:00',
        'each waits for what it had to wait for: R-443'
    )
from failing;
select tenure.cancel(run_id) from failing;
select * from finish();
rollback;
