begin;
select plan(3);
\ir ../session.psql
\ir ../tree.psql

-- Units that a quota around a mount could never hold.
select tenure.set_quota('narrow', 2);
select tenure.set_quota('wide', 9);
select tenure.define_step('heavy', quota => 'wide', quota_units => 3);
select tenure.define_workflow('bottom', '{"nodes": [{"name": "heavy"}]}');
select tenure.define_workflow('wider', '{"nodes": [{"name": "m", "workflow": "bottom"}]}');
select throws_ok(
    $$ select tenure.define_workflow('top', '{"nodes": [{"name": "n", "workflow": "wider", "quota": "narrow"}]}') $$,
    'TN007', 'the quota could never hold these units', 'Units above the capacity of a quota around it: R-461'
);
select lives_ok(
    $$ select tenure.define_workflow('top', '{"nodes": [{"name": "n", "workflow": "wider", "quota": "wide"}]}') $$,
    'With room it is defined'
);

-- The bounds of a queue hold in workflows too.
select tenure.create_queue('mail', 'delivery');
select tenure.define_workflow('long', '{"nodes": [
    {"name": "over", "queue": "mail", "policy": [{"retry": {"attempts": 2}}, {"timeout": "1000 s"}]},
    {"name": "under", "queue": "mail", "policy": [{"retry": {"attempts": 2}}, {"timeout": "0"}]},
    {"name": "without", "queue": "mail", "policy": [{"retry": {"attempts": 2}}]}
]}');
select tenure.start('long');
select is(
    (
        select string_agg(format('%s %s', c.name, c.time_left), ', ' order by c.step_id)
        from tenure.claim('{mail}', 'w', 9) as c
    ),
    'over 00:15:00, under 00:00:00.1, without 00:00:30', 'A timeout is brought within them: R-023'
);
select * from finish();
rollback;
