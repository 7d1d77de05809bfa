begin;
select plan(3);
\ir ../session.psql
\ir ../steps.psql

select tenure.enqueue('t') from generate_series(1, 3);
select take();
create function settled(p_hidden_ids bigint[])
returns text
language sql
as $$
select string_agg(format('%s %s', v.step_id, v.verdict), ', ' order by v.step_id, v.verdict)
from tenure_private.settle_shown(
    '{3,1,2,1}', 'w', '{1,1,1,1}', array['3', '1', '2', '1']::jsonb[], tenure_private.ask_for('complete'), p_hidden_ids
) as v
$$;
select is(settled('{1,2,3}'), '1 stale, 1 stale, 2 stale, 3 stale', 'All of them hidden: R-232');
select is(settled('{1}'), '1 stale, 1 stale, 2 completed, 3 completed', 'The others are settled: R-232');
select is(
    (select string_agg(coalesce(s.output::text, '-'), ' ' order by s.step_id) from tenure.step_status as s), '- 2 3',
    'Each with its own output: R-232'
);

select * from finish();
rollback;
