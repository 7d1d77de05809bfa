begin;
select plan(12);

create function fill()
returns void
language sql
as $$
-- Two runs: a key each, two of everything else.
insert into tenure_private.attempt (step_id, generation, attempt, ended_at, kind)
select r.id, n.n, n.n, now(), 'timeout' from generate_series(1, 2) as r (id) cross join generate_series(1, 2) as n (n);
insert into tenure_private.wait (step_id, key, kind, created_at)
select r.id, n.n::text, 'sleep', now() from generate_series(1, 2) as r (id) cross join generate_series(1, 2) as n (n);
insert into tenure_private.signal (run_id, signal, created_at)
select r.id, 's', now() from generate_series(1, 2) as r (id) cross join generate_series(1, 2) as n (n);
insert into tenure_private.checkpoint (step_id, key, value, created_at)
select r.id, n.n::text, '1', now() from generate_series(1, 2) as r (id) cross join generate_series(1, 2) as n (n);
insert into tenure_private.idempotency (kind, name, key, step_id)
select 'step', 'n', r.id::text, r.id from generate_series(1, 2) as r (id);
$$;
create function rows_left()
returns text
language sql
as $$
-- What each run has left: keys, attempts, waits, signals, checkpoints.
select string_agg(concat_ws(
    ' ', (select count(*) from tenure_private.idempotency as i where i.step_id = r.id),
    (select count(*) from tenure_private.attempt as a where a.step_id = r.id),
    (select count(*) from tenure_private.wait as w where w.step_id = r.id),
    (select count(*) from tenure_private.signal as g where g.run_id = r.id),
    (select count(*) from tenure_private.checkpoint as c where c.step_id = r.id)
), ', ' order by r.id)
from generate_series(1, 2) as r (id)
$$;

select fill();
select is(tenure_private.purge_details('{1}', 100), 9, 'All that belongs to a run, counted: R-141');
select is(rows_left(), '0 0 0 0 0, 1 2 2 2 2', 'And nothing of another');
select is(tenure_private.purge_details('{1}', 100), 0, 'Then there is nothing left');
select is(tenure_private.purge_details('{2}', 1), 1, 'One row: R-142');
select is(rows_left(), '0 0 0 0 0, 0 2 2 2 2', 'The key goes first: it must not stand for a run that is hidden');
select is(tenure_private.purge_details('{2}', 3), 3, 'Three rows, over the tables: R-142');
select is(rows_left(), '0 0 0 0 0, 0 0 1 2 2', 'No more: R-142');
select is(tenure_private.purge_details('{2}', 5), 5, 'Exactly what is left');
select is(rows_left(), '0 0 0 0 0, 0 0 0 0 0', 'is all');
select fill();
select is(tenure_private.purge_details('{1,2}', 2), 2, 'Of several runs');
select is(rows_left(), '0 2 2 2 2, 0 2 2 2 2', 'all keys go first');
select is(tenure_private.purge_details(null, 10), 0, 'No runs, no rows');

select * from finish();
rollback;
