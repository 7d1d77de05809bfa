begin;
select plan(50);
\ir ../session.psql

create function defined(p_definition jsonb, p_name text default 'w')
returns text
language plpgsql
as $$
-- The version, or the error: code, message and detail.
declare
    v_message text;
    v_detail text;
begin
    return tenure.define_workflow(p_name, p_definition);
exception when others then
    get stacked diagnostics v_message = message_text, v_detail = pg_exception_detail;
    return concat_ws('; ', sqlstate, v_message, v_detail);
end
$$;

-- Versions.
select is(defined('{"nodes": [{"name": "a"}]}'), '1', 'The first version is 1: R-400');
select is(defined('{"nodes": [{"name": "a"}]}'), '1', 'The same again is the same version: R-400');
select is(defined('{"nodes": [ {"name":  "a"}], "on_failure": "continue"}'), '2', 'Another is the next: R-400');
select is(defined('{"nodes": [{"name": "a"}]}'), '3', 'And an earlier one again, too: R-400');
select is((select count(*) from tenure.workflow_status), 3::bigint, 'Each is kept once: R-400');
select is(
    (
        select format('%s %s %s', w.definition, w.on_failure, w.defined_at)
        from tenure.workflow_status as w
        where w.version = 2
    ),
    '{"nodes": [{"name": "a"}], "on_failure": "continue"} continue 2030-01-01 00:00:00+00',
    'As it was defined: R-400'
);

-- The graph.
select is(defined('{"nodes": []}'), 'TN031; the workflow has no nodes; nodes: [].', 'No nodes: R-402');
select is(defined('{}'), 'TN031; the workflow has no nodes; nodes: not given.', 'No nodes either: R-402');
select is(
    defined(
        '{"nodes": [{"name": "a", "requires": ["z"], "provides": ["x"]}, {"name": "b", "requires": ["x"], 
        "provides": ["y"]},
        {"name": "c", "optional": ["y"], "provides": ["z"]}, {"name": "d"}]}'
    ),
    'TN031; nodes wait for each other in a cycle; On it, or behind it: a, b, c.',
    'A cycle, by optional keys too: R-402'
);
select is(
    defined('{"nodes": [{"name": "a", "requires": ["x"], "provides": ["x"]}]}'),
    'TN031; nodes wait for each other in a cycle; On it, or behind it: a.', 'The shortest cycle: R-402'
);
select is(
    defined('{"nodes": [{"name": "a", "map": "x", "provides": ["x"]}]}'),
    'TN031; nodes wait for each other in a cycle; On it, or behind it: a.', 'The key of a map counts: R-402'
);
select is(
    defined('{"nodes": [{"name": "a", "provides": ["x"]}, {"name": "b", "provides": ["y", "x"]}]}'),
    'TN031; a key has two producers; Key x: nodes a, b.', 'Two producers: R-402'
);
select is(
    defined('{"nodes": [{"name": "a", "provides": ["x"]}], "outputs": ["x", "nope"]}'),
    'TN031; outputs has an unknown key; Key nope.', 'An unknown key: R-402'
);
select is(
    defined('{"nodes": [{"name": "a", "requires": ["in"], "provides": ["x"]}], "outputs": ["x", "in"]}', 'outputs'),
    '1',
    'An input that a node needs is known'
);
select is(
    defined('{"nodes": [{"name": "a"}, {"name": "a"}]}'),
    'TN031; two nodes have one name; Node a.',
    'A name twice: R-402'
);

-- Queues, quotas, workflows.
select is(
    defined('{"nodes": [{"name": "a", "queue": "nope"}]}'),
    'TN003; there is no such queue; Queue nope.',
    'R-402: unknown queue'
);
select is(
    defined('{"nodes": [{"name": "a", "quota": "nope"}]}'),
    'TN015; there is no such quota; Quota nope.',
    'R-402: unknown quota'
);
select is(
    defined('{"nodes": [{"name": "a", "workflow": "nope"}]}'), 'TN030; there is no such workflow; Workflow nope.',
    'R-402: unknown workflow'
);
select is(
    defined('{"nodes": [{"name": "a", "map": "x", "workflow": "nope"}]}'),
    'TN030; there is no such workflow; Workflow nope.',
    'R-402: unknown workflow of a map'
);
select is(
    defined('{"nodes": [{"name": "a", "workflow": "self"}]}', 'self'),
    'TN031; the workflow would mount itself; Workflow self, perhaps by way of others.', 'It mounts itself: R-402'
);
select is(defined('{"nodes": [{"name": "a"}]}', 'low'), '1', 'Three');
select is(defined('{"nodes": [{"name": "a", "workflow": "low"}]}', 'mid'), '1', 'workflows');
select is(defined('{"nodes": [{"name": "a", "map": "k", "workflow": "mid"}]}', 'top'), '1', 'one in another');
select is(
    defined('{"nodes": [{"name": "a", "workflow": "top"}]}', 'low'),
    'TN031; the workflow would mount itself; Workflow low, perhaps by way of others.', 'A ring of three: R-402'
);

-- Mounts.
select is(
    defined(
        '{"nodes": [{"name": "a", "requires": ["in"], "optional": ["maybe"], "provides": ["x", "y"]}], 
        "outputs": ["x"]}',
        'sub'
    ),
    '1',
    'A workflow to be mounted'
);
select is(
    defined('{"nodes": [{"name": "m", "workflow": "sub", "requires": ["in"], "provides": ["y"]}]}'),
    'TN031; a mount provides a key that its workflow does not give out; Node m, workflow sub, key y.',
    'Not among its outputs: R-402'
);
select is(
    defined('{"nodes": [{"name": "m", "workflow": "sub", "provides": ["x"]}]}'),
    'TN031; a mount does not supply a key that its workflow requires; Node m, workflow sub, key in.',
    'Not supplied: R-402'
);
select is(
    defined('{"nodes": [{"name": "m", "workflow": "sub", "requires": ["in"], "provides": ["x"]}]}', 'mounts'), '1',
    'Optional keys need no supply'
);
select is(
    defined('{"nodes": [{"name": "a", "requires": ["in", "more"], "provides": ["x"]}]}', 'sub'),
    'TN031; a mount does not supply a key that its workflow requires; Node m, workflow sub, key more.',
    'Nor may a new version break those that mount it: R-404'
);
select is(
    defined('{"nodes": [{"name": "a", "requires": ["in"], "provides": ["z"]}]}', 'sub'),
    'TN031; a mount provides a key that its workflow does not give out; Node m, workflow sub, key x.',
    'By no way: R-404'
);
select is(
    defined('{"nodes": [{"name": "b", "requires": ["in"], "provides": ["x", "z"]}]}', 'sub'),
    '2',
    'What breaks none is taken: R-404'
);

-- Extent: levels of two mounts each.
select tenure.define_workflow('level1', '{"nodes": [{"name": "a"}, {"name": "b"}]}');
create function twice(p_level int)
returns int
language sql
as $$
select tenure.define_workflow(
    'level' || p_level,
    format('{"nodes": [{"name": "a", "workflow": "level%1$s"}, {"name": "b", "workflow": "level%1$s"}]}', p_level - 1)::jsonb
)
$$;
select is((select sum(twice(g.n)) from generate_series(2, 12) as g (n)), 11::bigint, 'Eight thousand steps');
select is(
    defined('{"nodes": [{"name": "a", "workflow": "level12"}, {"name": "b", "workflow": "level12"}]}', 'level13'),
    'TN031; the workflow is too large; A run would begin with more than 10000 steps.', 'More than ten thousand: R-402'
);
select is(
    defined('{"nodes": [{"name": "a", "map": "k", "workflow": "level12"}]}', 'mapped'), '1', 'A map bounds itself'
);
select tenure.define_workflow('level1', '{"nodes": [{"name": "a"}, {"name": "b"}, {"name": "c"}]}');
select throws_ok($$ select tenure.start('level12') $$, 'TN031', null, 'One that has grown since is not started: R-402');

-- Shapes.
select is(defined('[]'), 'TN007; the definition is no object; Given: [].', 'R-403: definition');
select is(defined(null), 'TN007; the definition is no object; Given: NULL.', 'R-403: NULL');
select throws_ok(
    $$ select tenure.define_workflow('large', jsonb_build_object('nodes', repeat('x', 1048576))) $$,
    'TN008',
    'definition is too large',
    'R-403: size'
);
select is(
    defined('{"nodes": [{"name": "a"}], "edges": []}'),
    'TN007; the definition has an unknown key; Key edges.',
    'R-403: members'
);
select is(
    defined('{"nodes": [{"name": "a", "needs": []}]}'),
    'TN007; a node has an unknown key; Key needs.',
    'R-403: members of nodes'
);
select is(defined('{"nodes": [7]}'), 'TN007; a node is no object; Given: 7.', 'R-403: node');
select is(
    defined('{"nodes": [{"name": "a", "requires": "x"}]}'),
    'TN007; requires is no array of names; Given: "x".',
    'R-403: names'
);
select is(
    defined('{"nodes": [{"name": "a", "requires": ["x", "x"]}]}'),
    'TN007; requires has a name twice; Given: ["x", "x"].',
    'R-403: twice'
);
select is(
    defined('{"nodes": [{"name": "a", "when": "$.x >"}]}') ~ '^TN007; when is no jsonpath; ', true, 'R-403: when'
);
select is(
    defined('{"nodes": [{"name": "a", "requires": ["x"], "when": "$.x ? (@ > $least) == 1"}]}'),
    'TN007; when has a variable; $.x ? (@ > $least) == 1',
    'R-403: a variable has no value'
);
select is(
    defined('{"nodes": [{"name": "a", "requires": ["x"], "when": "$.x == \"$\""}]}', 'dollar'), '1',
    'R-403: a dollar in a string is none'
);
select is(
    defined('{"nodes": [{"name": "a"}], "on_failure": "retry"}'),
    'TN007; on_failure is unknown; Given: retry.',
    'R-403: on_failure'
);
select is(
    defined('{"nodes": [{"name": "a", "map": "x", "provides": ["y", "z"]}]}'),
    'TN031; a node contradicts itself; Node a. It is a map and provides more than one key.',
    'R-403: a map gathers one key'
);
select is(
    defined('{"nodes": [{"name": "a", "step": "s", "workflow": "sub"}]}'),
    'TN031; a node contradicts itself; Node a. It has a step and a workflow.', 'R-403: step and workflow'
);
select is(
    defined('{"nodes": [{"name": ""}]}'),
    'TN005; name must not be null or empty; It is an empty string.',
    'R-403: names of nodes'
);
select * from finish();
rollback;
