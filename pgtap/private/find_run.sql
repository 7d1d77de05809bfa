begin;
select plan(5);
\ir ../session.psql

select tenure.enqueue('job');
select add_child(1, 500);
select is((tenure_private.find_run(1)).step_id, 1::bigint, 'The row of a run');
select throws_ok('select tenure_private.find_run(500)', 'TN002', null, 'A child''s id');
select throws_ok('select tenure_private.find_run(99)', 'TN001', null, 'An unknown id');
select throws_ok('select tenure_private.find_run(null)', 'TN001', null, 'NULL');
update tenure_private.step set purging = true where step_id = 1;
select throws_ok('select tenure_private.find_run(1)', 'TN001', null, 'What is being purged is not there: R-142');

select * from finish();
rollback;
