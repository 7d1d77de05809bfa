begin;
select plan(6);
\ir ../session.psql
\ir ../tree.psql

create function counts()
returns text
language sql
as $$
select format('%s open, %s done, %s, %s, %s', g.open, g.done, g.ending, g.error_kind, g.uncertain)
from tenure_private.step_group as g
where g.step_id = 1
$$;
select tenure.define_workflow(
    'w',
    '{"on_failure": "continue", "nodes": [
        {"name": "a", "provides": ["x"]}, {"name": "b"}, {"name": "c"}, {"name": "d", "requires": ["x"]}
    ]}'
);
select tenure.start('w');
select is(counts(), '4 open, 0 done, , , f', 'To begin with');
select taken();
select done(1, 'b');
select failed(1, 'a', 'uncertain');
select is(counts(), '2 open, 1 done, , uncertain, t', 'Counted by folds');
select is((select s.reason from tenure_private.step as s where s.step_id = at(1, 'd')), 'blocked', 'One is blocked');
update tenure_private.step_group set open = 9, done = 9, ending = 'x', error_kind = null, uncertain = false;
select tenure_private.recount(array[1]);
select is(counts(), '2 open, 1 done, , uncertain, t', 'Counted anew, from the children');
select is(
    (select s.reason from tenure_private.step as s where s.step_id = at(1, 'd')),
    null,
    'None is blocked until its keys are looked at'
);
select is(
    (select g.error from tenure_private.step_group as g where g.step_id = 1), '{"type": "a"}', 'with the first error'
);
select * from finish();
rollback;
