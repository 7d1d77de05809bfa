begin;
select plan(9);
\ir ../session.psql
\ir ../tree.psql

create function counts(p_group_id bigint)
returns text
language sql
as $$
select format('%s open, %s done, %s, %s', g.open, g.done, g.ending, g.error ->> 'type')
from tenure_private.step_group as g
where g.step_id = p_group_id
$$;
-- Ends a child as its report would, but tells nobody.
create function ended(p_step_id bigint, p_state text, p_error text default null, p_at interval default '0')
returns void
language sql
as $$
update tenure_private.step
set state = p_state, finished_at = tenure_private.clock() + p_at, alarm_at = null,
    error_kind = case when p_error is not null then 'permanent' end,
    error = case when p_error is not null then jsonb_build_object('type', p_error) end
where step_id = p_step_id
$$;
select tenure.define_workflow('w', '{"nodes": [{"name": "a"}, {"name": "b"}, {"name": "c"}, {"name": "d"}]}');
select tenure.start('w');
select ended(2, 'completed');
select ended(3, 'skipped');
select is(tenure_private.count_ends(array[2, 3]), array[1::bigint], 'It returns the groups of these children');
select is(counts(1), '2 open, 1 done, , ', 'and counts them: completed ones are done');
select ended(4, 'discarded', 'later', '1 s');
select ended(5, 'discarded', 'first');
select tenure_private.count_ends(array[4, 5]);
select is(
    counts(1),
    '0 open, 1 done, sibling_discarded, first',
    'The first error is kept, and the group is ending: R-430'
);
select is(tenure_private.count_ends(array[1]), array[1::bigint], 'An ending group is looked at again');

-- Of an attempt that is over, and of a group that is: nothing.
select tenure.start('w');
update tenure_private.step set attempt = 2 where step_id = 6;
select ended(7, 'completed');
select is(tenure_private.count_ends(array[7]), '{}', 'A child of an earlier attempt counts no more: R-433');
select is(counts(6), '4 open, 0 done, , ', 'anywhere');
select tenure.start('w');
select ended(11, 'discarded', 'x');
select ended(12, 'completed');
select is(tenure_private.count_ends(array[12]), '{}', 'Nor one of a group that has ended');
select is(tenure_private.count_ends('{}'), '{}', 'Of none: none');
select is(tenure_private.count_ends(array[999]), '{}', 'Nor of what is not there');
select * from finish();
rollback;
