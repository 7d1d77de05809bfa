begin;
select plan(7);
\ir ../session.psql
\ir ../steps.psql

select tenure.enqueue('job');
select throws_ok('select tenure_private.find_discarded(1, 1)', 'TN010', null, 'A step that is not discarded: R-105');
select take();
select tenure.fail(1, 'w', 1, '{}', 'permanent');
select is((tenure_private.find_discarded(1, 1)).step_id, 1::bigint, 'A discarded one is returned');
select throws_ok('select tenure_private.find_discarded(1, 0)', 'TN007', null, 'Less than one more attempt: R-148');
select throws_ok('select tenure_private.find_discarded(1, null)', 'TN007', null, 'No number at all: R-148');
select throws_ok('select tenure_private.find_discarded(99, 1)', 'TN001', null, 'An unknown step');
update tenure_private.step set purging = true;
select throws_ok('select tenure_private.find_discarded(1, 1)', 'TN017', null, 'One that is being purged: R-143');
update tenure_private.step set state = 'completed';
select throws_ok('select tenure_private.find_discarded(1, 1)', 'TN017', null, 'Whatever its state is');

select * from finish();
rollback;
