begin;
select plan(4);
\ir ../session.psql

select tenure.enqueue('job');
select add_child(1, 500);
select is((tenure_private.locked_run(1)).step_id, 1::bigint, 'The row of a run');
select isnt((select s.xmax from tenure_private.step as s where s.step_id = 1), '0', 'Its lock is taken');
select throws_ok('select tenure_private.locked_run(500)', 'TN002', null, 'A child''s id');
select throws_ok('select tenure_private.locked_run(99)', 'TN001', null, 'An unknown id');

select * from finish();
rollback;
