begin;
select plan(4);
\ir ../session.psql
-- What the lock lets through takes two sessions to see: tests/races does.

select tenure.enqueue('job') from generate_series(1, 2);
select add_child(2, 500);
select tenure_private.lock_run_shared('{1}');
select is(
    (select s.xmax from tenure_private.step as s where s.step_id = 1), '0', 'A plain step is its own run: nothing yet'
);
select tenure_private.lock_run_shared('{500}');
select isnt((select s.xmax::text from tenure_private.step as s where s.step_id = 2), '0', 'A child''s run is locked');
select lives_ok(
    $$ select tenure_private.lock_run_shared('{500,1,99}') $$, 'Unknown ids do no harm'
);
select lives_ok($$ select tenure_private.lock_run_shared('{}') $$, 'None is none');

select * from finish();
rollback;
