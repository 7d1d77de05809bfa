begin;
select plan(17);
\ir ../session.psql
\ir ../steps.psql

-- The answers, by step and then verdict.
create function ended(p_step_ids bigint[], p_owner text, p_generations bigint[], p_outputs jsonb[] default null)
returns text
language sql
as $$
select string_agg(format('%s %s', v.step_id, v.verdict), ', ' order by v.step_id, v.verdict)
from tenure.complete_many(p_step_ids, p_owner, p_generations, p_outputs) as v
$$;

select tenure.enqueue('t') from generate_series(1, 6);
select tenure.enqueue('t', timeout => '20 s');
select tenure.enqueue('t', deadline => '20 s');
select take();
select tenure.cancel(3);
select tenure.release(4, 'w', 1);
select tenure.complete(5, 'w', 1);
select set_clock('20 s');
select is(
    ended(
        '{8, 7, 6, 5, 4, 3, 2, 1, 999}', 'w', '{1, 1, 5, 1, 1, 1, 1, 1, 1}',
        array['8', '7', '6', '5', '4', '3', null, '{"n": 1}', '9']::jsonb[]
    ),
    '1 completed, 2 completed, 3 cancelled, 4 stale, 5 completed, 6 stale, 7 timed_out, 8 timed_out, 999 stale',
    'Each has its own verdict, and none raises: R-054'
);
select is(
    (select array_agg(s.output order by s.step_id) from tenure.step_status as s),
    array['{"n": 1}', null, null, null, null, null, null, null]::jsonb[], 'Outputs go where they belong: R-054'
);
select is(
    (select array_agg(s.state::text order by s.step_id) from tenure.step_status as s),
    array['completed', 'completed', 'cancelled', 'available', 'completed', 'running', 'available', 'discarded'],
    'So do the states'
);
select is(ended('{1, 2}', 'w', '{1, 1}'), '1 completed, 2 completed', 'The same again: R-050');
select is(ended('{1, 2}', 'v', '{1, 1}'), '1 stale, 2 stale', 'Another owner: R-049');
select is(ended('{}', 'w', '{}'), null, 'None at all');
select is(ended('{6, 6}', 'w', '{1, 2}'), '6 completed, 6 stale', 'Two generations of one step: R-054');
select tenure.enqueue('t');
select take();
select is(
    ended('{9, 9}', 'w', '{1, 1}', array['1', '2']::jsonb[]), '9 completed, 9 completed',
    'The same pair twice: the second is the same report again: R-054, R-050'
);

select tenure.enqueue('t') from generate_series(1, 2000);
select take();
select take();
select is(
    (
        select array_agg(distinct v.verdict)
        from tenure.complete_many(
            array(select g from generate_series(10, 2009) as g), 'w', array_fill(1::bigint, array[2000])
        ) as v
    ),
    array['completed'], 'Thousands at once'
);

select tenure.enqueue('t');
select take();
select throws_ok($$select tenure.complete_many(null, 'w', '{1}')$$, 'TN007', null, 'NULL steps: R-153');
select throws_ok($$select tenure.complete_many('{1}', 'w', null)$$, 'TN007', null, 'NULL generations: R-153');
select throws_ok($$select tenure.complete_many('{2010, 1}', 'w', '{1}')$$, 'TN007', null, 'Unequal lengths: R-153');
select throws_ok($$select tenure.complete_many('{null}', 'w', '{1}')$$, 'TN007', null, 'A NULL step: R-153');
select throws_ok(
    $$select tenure.complete_many('{2010}', 'w', '{1}', '{}')$$, 'TN007', null, 'Outputs that do not pair up: R-153'
);
select throws_ok($$select tenure.complete_many('{2010}', '', '{1}')$$, 'TN005', null, 'An empty owner: R-147');
select throws_ok(
    $$select tenure.complete_many('{2010}', 'w', '{1}', array[to_jsonb(repeat('x', 16777217))])$$, 'TN008', null,
    'One output over 16 MB: R-149'
);
select is((tenure.status(2010)).state, 'running', 'A refused call has changed nothing: R-145');

select * from finish();
rollback;
