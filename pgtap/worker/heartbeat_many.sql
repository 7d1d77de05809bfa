begin;
select plan(16);
\ir ../session.psql
\ir ../steps.psql

-- The answers, by step and then verdict.
create function beats(p_step_ids bigint[], p_owner text, p_generations bigint[])
returns text
language sql
as $$
select string_agg(
    format('%s %s %s', b.step_id, b.verdict, b.lease_expiry - timestamptz '2030-01-01 00:00:00+00'),
    ', ' order by b.step_id, b.verdict
)
from tenure.heartbeat_many(p_step_ids, p_owner, p_generations) as b
$$;

select tenure.enqueue('t') from generate_series(1, 4);
select tenure.enqueue('t', timeout => '20 s');
select take('w', '60 s');
select tenure.cancel(2);
select tenure.release(3, 'w', 1);
select set_clock('25 s');
select is(
    beats('{1, 2, 3, 4, 5, 999}', 'w', '{1, 1, 1, 7, 1, 1}'),
    '1 renewed 00:01:25, 2 cancelled , 3 lost , 4 lost , 5 timed_out 00:01:00, 999 lost ',
    'Each pair is judged on its own, and every one is answered: R-045'
);
select is(
    (select array_agg(s.lease_expiry::text order by s.step_id) from tenure.step_status as s where s.state = 'running'),
    array['2030-01-01 00:01:25+00', '2030-01-01 00:01:00+00', '2030-01-01 00:01:00+00'],
    'One alone was renewed: there is no "all that I own": R-045'
);
select is(beats('{1, 4}', 'v', '{1, 1}'), '1 lost , 4 lost ', 'Another owner has none of them: R-041');
select is(beats('{1, 1}', 'w', '{1, 2}'), '1 lost , 1 renewed 00:01:25', 'Two generations of one step: R-045');
select is(beats('{1, 1}', 'w', '{1, 1}'), '1 renewed 00:01:25, 1 renewed 00:01:25', 'The same pair twice: R-045');
select is(beats('{}', 'w', '{}'), null, 'None at all');
select is(
    (select array_agg(b.time_left::text order by b.step_id) from tenure.heartbeat_many('{1, 5}', 'w', '{1, 1}') as b),
    array[null, '00:00:00'], 'They tell the time left: R-031'
);

select tenure.cancel(3);
select tenure.enqueue('t') from generate_series(1, 3000);
select take('w2', '60 s');
select take('w2', '60 s');
select take('w2', '60 s');
select set_clock('50 s');
select is(
    (
        select array_agg(distinct format('%s %s', b.verdict, b.lease_expiry))
        from tenure.heartbeat_many(
            array(select g from generate_series(6, 3005) as g), 'w2', array_fill(1::bigint, array[3000])
        ) as b
    ),
    array['renewed 2030-01-01 00:01:50+00'], 'Thousands at once'
);

select throws_ok($$select tenure.heartbeat_many(null, 'w', '{1}')$$, 'TN007', null, 'NULL steps: R-153');
select throws_ok($$select tenure.heartbeat_many('{1}', 'w', null)$$, 'TN007', null, 'NULL generations: R-153');
select throws_ok($$select tenure.heartbeat_many('{1, 2}', 'w', '{1}')$$, 'TN007', null, 'Unequal lengths: R-153');
select throws_ok($$select tenure.heartbeat_many('{1}', 'w', '{1, 1}')$$, 'TN007', null, 'The other way: R-153');
select throws_ok($$select tenure.heartbeat_many('{null}', 'w', '{1}')$$, 'TN007', null, 'A NULL step: R-153');
select throws_ok($$select tenure.heartbeat_many('{1}', 'w', '{null}')$$, 'TN007', null, 'A NULL generation: R-153');
select throws_ok($$select tenure.heartbeat_many('{1}', null, '{1}')$$, 'TN005', null, 'No owner: R-147');
select throws_ok($$select tenure.heartbeat_many('{1}', '', '{1}')$$, 'TN005', null, 'An empty owner: R-147');

select * from finish();
rollback;
