begin;
select plan(16);
\ir ../session.psql
\ir ../tree.psql

-- What key_state() says of the last node of a workflow, in the present attempt of its run.
create function told(p_run_id bigint)
returns text
language sql
as $$
select concat_ws(' ',
    case when k.missing then 'missing' end, case when k.blocked then 'blocked' end,
    case when k.settled then 'settled' end
)
from tenure_private.step_group as g
join tenure_private.node as n on n.workflow_id = g.workflow_id
cross join lateral tenure_private.key_state(p_run_id, 1, n.node_id) as k
where g.step_id = p_run_id
order by n.node_id desc
limit 1
$$;
create function run(p_on_failure text, p_input jsonb default '{}')
returns bigint
language sql
as $$
select tenure.define_workflow('w', jsonb_build_object('on_failure', p_on_failure, 'nodes', '[
    {"name": "a", "provides": ["x"]}, {"name": "b", "provides": ["y"]},
    {"name": "c", "requires": ["x"], "optional": ["y", "z"]}
]'::jsonb));
select tenure.start('w', p_input);
$$;

select is(told(run('cancel')), '', 'Both are open; what nobody provides is decided: R-410');
select taken();
select done(1, 'b', '1');
select is(told(1), '', 'The required one is open: R-410');
select done(1, 'a', 'null');
select is(told(1), 'settled', 'JSON null is there: R-410');

select is(told(run('cancel', '{"x": 1, "y": 2}')), 'settled', 'The input has them: R-410');
select is(told(run('cancel', '{"x": 1}')), '', 'An optional one is waited for: R-410');
select taken();
select tenure.skip(at(9, 'b'), 'w', 1, '');
select is(told(9), 'settled', 'until it can never come: R-410');

select is(told(run('cancel')), '', 'Another');
select taken();
select tenure.skip(at(13, 'a'), 'w', 1, '');
select is(told(13), 'missing', 'A required one that never comes, though another is open: R-413');

-- Failures.
select is(told(run('cancel')), '', 'Another');
select taken();
update tenure_private.step set state = 'discarded', finished_at = tenure_private.clock() where step_id = at(17, 'a');
select is(told(17), '', 'A failure that ends the group decides nothing: R-430');
select is(told(run('continue')), '', 'In a group that goes on');
select taken();
select failed(21, 'b');
select is(told(21), '', 'an optional key of a failed child is decided, the required one is open: R-432');
select done(21, 'a', '1');
select is(told(21), 'settled', 'All are decided: R-432');
select run('continue');
select taken();
select failed(25, 'a');
select is(told(25), 'blocked', 'A required key of a failed child: R-432');
select done(25, 'b', '1');
select is(told(25), 'blocked settled', 'and with nothing open: R-432');
select is(told(run('cancel', '{"x": {"deep": 1}, "z": [1]}')), '', 'What lies deeper is no key');
select * from finish();
rollback;
