begin;
select plan(6);
\ir ../session.psql
-- What the lock shuts out takes two sessions to see: tests/races does.

select tenure.enqueue('job') from generate_series(1, 2);
select add_child(2, 500);
select is(tenure_private.lock_run(r.run_id, w.waits), true, format('Run %s, waiting: %s', r.run_id, w.waits))
from (values (1), (2)) as r (run_id)
cross join (values (true), (false)) as w (waits);
select is(tenure_private.lock_run(99, true), false, 'There is no such run');
select is(tenure_private.lock_run(99, false), false, 'Without waiting either');

select * from finish();
rollback;
