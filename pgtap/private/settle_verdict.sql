begin;
select plan(7);
\ir ../session.psql
\ir ../steps.psql

create function settled(p_step_id bigint, p_owner text, p_generation bigint, p_output jsonb default null)
returns text
language sql
as $$
select tenure_private.settle_verdict(p_step_id, p_owner, p_generation, p_output, tenure_private.ask_for('complete'))
$$;

select tenure.enqueue('job');
select take();
select is(settled(1, 'w', 2), 'stale', 'One verdict');
select throws_ok('select settled(null, ''w'', 1)', 'TN007', null, 'No step: R-153');
select throws_ok('select settled(1, ''w'', null)', 'TN007', null, 'No generation: R-153');
select throws_ok('select settled(1, null, 1)', 'TN005', null, 'No owner: R-147');
select throws_ok('select settled(1, '''', 1)', 'TN005', null, 'An empty one: R-147');
select is(settled(1, 'w', 1, '{"n": 1}'), 'completed', 'With an output');
select is(shown(1, 'output'), '{"n": 1}', 'Which is stored: R-053');

select * from finish();
rollback;
