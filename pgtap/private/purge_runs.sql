begin;
select plan(11);
\ir ../session.psql
\ir ../steps.psql

select tenure.enqueue('job') from generate_series(1, 5);
select take();
select tenure.checkpoint(s.step_id, 'w', 1, k.key, '1')
from unnest(array[1, 2]) as s (step_id) cross join unnest(array['a', 'b']) as k (key);
select tenure.complete(s.step_id, 'w', 1) from generate_series(1, 4) as s (step_id);
create function here()
returns text
language sql
as $$
select string_agg(s.step_id || case when s.purging then ' hidden' else '' end, ', ' order by s.step_id)
from tenure_private.step as s
$$;

select is(tenure_private.purge_runs('{5,99}', 100), 0, 'What has not ended, or is not there, stays');
select is(tenure_private.purge_runs('{1}', 2), 2, 'What hangs on a run goes first, and counts: R-142');
select is(here(), '1 hidden, 2, 3, 4, 5', 'The run is hidden from then on: R-142');
select is(tenure_private.purge_runs('{1}', 2), 1, 'Its row goes last');
select is(here(), '2, 3, 4, 5', 'And is gone');
select is(tenure_private.purge_runs('{2,3,4}', 2), 2, 'Two rows of one, none of the others: R-142');
select is(here(), '2 hidden, 3, 4, 5', 'Those are not hidden: they will go whole');
select is(tenure_private.purge_runs('{2,3,4}', 2), 2, 'Two rows');
select is(tenure_private.purge_runs('{2,3,4}', 2), 1, 'And the last');
select is(here(), '5', 'Then only the other is left');
select is(tenure_private.purge_runs('{}', 10), 0, 'No runs, no rows');

select * from finish();
rollback;
