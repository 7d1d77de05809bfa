begin;
select plan(13);
\ir ../session.psql
\ir ../tree.psql

select is(tenure_private.too_large(200000000), false, 'Two hundred megabytes are not too large: R-427');
select is(tenure_private.too_large(200000001), true, 'More are: R-427');
-- For this test a thousand bytes are.
create or replace function tenure_private.too_large(p_bytes bigint)
returns boolean
language sql immutable parallel safe
as $$ select p_bytes > 1000 $$;

-- What would be handed out to a step.
select tenure.define_workflow(
    'w',
    '{"on_failure": "continue", "outputs": ["y"], "nodes": [
        {"name": "a", "provides": ["x"]}, {"name": "b", "requires": ["x", "in"], "provides": ["y"]}, {"name": "c"}
    ]}'
);
select tenure.start('w', jsonb_build_object('in', repeat('i', 500)));
select taken();
select is(done(1, 'a', to_jsonb(repeat('x', 600))), 'completed', 'A key that is large beside another');
select is(tree(1), 'w waiting_steps, a completed, b discarded, c running', 'discards who needs both: R-427');
select is(
    (
        select format('%s %s', s.error_kind, s.error ->> 'message')
        from tenure.step_status as s
        where s.step_id = at(1, 'b')
    ),
    'permanent the keys that it needs take more than 200 MB together',
    'with a reason: R-427'
);
select done(1, 'c');
select is((select s.state from tenure.step_status as s where s.step_id = 1), 'discarded', 'as any failure');
select tenure.start('w', jsonb_build_object('in', repeat('i', 300)));
select taken();
select done(5, 'a', to_jsonb(repeat('x', 600)));
select is((select count(*) from tenure.claim(array['default'], 'w')), 1::bigint, 'Smaller ones are handed out');

-- What would be gathered.
select tenure.define_workflow('map', '{"nodes": [{"name": "each", "map": "in", "provides": ["out"]}]}');
select tenure.start('map', '{"in": [1, 2]}');
select taken();
select done(9, 'each', to_jsonb(repeat('x', 600)), 0);
select is(
    done(9, 'each', to_jsonb(repeat('x', 600)), 1),
    'completed',
    'A report lands, whatever follows from it: R-427'
);
select is(
    tree(9),
    'map discarded, each discarded, each[0] completed, each[1] completed',
    'The map is discarded: R-427'
);
select is(
    (select s.error ->> 'message' from tenure.step_status as s where s.step_id = 10),
    'its outputs take more than 200 MB together', 'with a reason: R-427'
);
select tenure.define_workflow(
    'all', '{"nodes": [{"name": "a", "provides": ["x"]}, {"name": "b", "provides": ["y"]}]}'
);
select tenure.start('all', max_attempts => 3);
select taken();
select done(13, 'a', to_jsonb(repeat('x', 600)));
select is(done(13, 'b', to_jsonb(repeat('y', 600))), 'completed', 'The outputs of a run');
select is(
    tree(13),
    'all discarded, a completed, b completed',
    'are no other, and another attempt would be no better: R-427'
);
select is(broken(), null, 'No terminal group has an open child: R-438');
select * from finish();
rollback;
