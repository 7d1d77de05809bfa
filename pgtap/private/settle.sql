begin;
select plan(10);
\ir ../session.psql
\ir ../steps.psql

create function settled(
    p_verb text, p_step_ids bigint[], p_generations bigint[], p_outputs jsonb[] default null, p_owner text default 'w'
)
returns text
language sql
as $$
select string_agg(v.step_id || ' ' || v.verdict, ', ' order by v.step_id, v.verdict)
from tenure_private.settle(p_step_ids, p_owner, p_generations, p_outputs, tenure_private.ask_for(p_verb)) as v
$$;

select tenure.enqueue('job', timeout => '10 s') from generate_series(1, 3);
select tenure.enqueue('slow') from generate_series(1, 5);
select take();
select set_clock('10 s');
select tenure.cancel(8);
select is(
    settled('complete', '{7,1,4,8,99,5}', '{2,1,1,1,1,1}', array['7', '1', '4', '8', '99', '5']::jsonb[]),
    '1 timed_out, 4 completed, 5 completed, 7 stale, 8 cancelled, 99 stale',
    'Each its own verdict: R-048, R-049, R-054, R-078'
);
select is(
    format('%s, %s, %s', shown(4, 'state', 'output'), shown(5, 'state', 'output'), shown(7, 'state', 'output')),
    'completed 4, completed 5, running -', 'To each its own output, and none where nothing was decided'
);
select is(settled('complete', '{7,6}', '{1,1}', array['7', '6']::jsonb[]), '6 completed, 7 completed', 'The others');
select is(shown(6, 'output'), '6', 'With the output that stands at their place');
select is(
    settled('complete', '{4,5}', '{1,1}', array['0', '0']::jsonb[]), '4 completed, 5 completed', 'The same again: R-050'
);
select is(shown(4, 'output'), '4', 'And it changes nothing: R-050');
select is(settled('release', '{2,4}', '{1,1}'), '2 timed_out, 4 stale', 'Any verb for many');
select is(settled('complete', '{3}', '{1}', array['3']::jsonb[], 'x'), '3 stale', 'Another owner has no lease: R-048');
select is(settled('complete', '{}', '{}'), null, 'None is none');
select is(settled('complete', '{3}', '{1}'), '3 timed_out', 'Without outputs');

select * from finish();
rollback;
