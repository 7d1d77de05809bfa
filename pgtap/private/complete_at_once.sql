begin;
select plan(12);
\ir ../session.psql
\ir ../steps.psql

create function at_once(p_step_ids bigint[], p_generations bigint[], p_owner text default 'w')
returns boolean
language sql
as $$
select tenure_private.complete_at_once(
    p_step_ids, p_owner, p_generations, array_fill('"done"'::jsonb, array[cardinality(p_step_ids)])
)
$$;

create function states(p_from int, p_to int)
returns text
language sql
as $$
select string_agg(s.state, ' ' order by s.step_id) from tenure.step_status as s where s.step_id between p_from and p_to
$$;

select tenure.enqueue('job') from generate_series(1, 6);
select tenure.enqueue('job', timeout => '10 s') from generate_series(7, 8);
select take();
select ok(at_once('{1,2}', '{1,1}'), 'All under lease, in time and in order: R-048');
select is(states(1, 2), 'completed completed', 'have completed');
select ok(not at_once('{4,3}', '{1,1}'), 'Not those out of order');
select ok(not at_once('{3,4}', '{1,2}'), 'Nor where one is of another generation');
select ok(not at_once('{3,4}', '{1,1}', 'x'), 'or of another owner');
select ok(not at_once('{3,99}', '{1,1}'), 'or not there');
select ok(not at_once('{1,3}', '{1,1}'), 'or not running');
select is(states(3, 4), 'running running', 'and then nothing is done');
select set_clock('9.999999 s');
select ok(at_once('{5,7}', '{1,1}'), 'Up to a limit');
select set_clock('10 s');
select ok(not at_once('{6,8}', '{1,1}'), 'not at it: R-014');
select is(states(6, 8), 'running completed running', 'and again nothing is done');
select ok(not at_once('{}', '{}'), 'None is none');

select * from finish();
rollback;
