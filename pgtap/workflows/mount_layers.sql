begin;
select plan(29);
\ir ../session.psql
\ir ../steps.psql
\ir ../tree.psql

-- A timeout around a retry around a mount.
select
    tenure.define_workflow(
        'inner', '{"nodes": [{"name": "one", "provides": ["k"]}, {"name": "two", "requires": ["k"]}]}'
    );
select tenure.define_workflow('outer', '{"nodes": [
    {"name": "sub", "workflow": "inner", "policy": [{"timeout": 10}, {"retry": {"attempts": 3, "delay": 2}}], "provides": ["k"]}
]}');
create function sub()
returns text
language sql
as $$
select format(
    '%s %s %s %s', s.state, s.attempt, s.max_attempts, s.deadline_at - timestamptz '2030-01-01 00:00:00+00'
)
from tenure.step_status as s
where s.name = 'sub'
$$;
select tenure.start('outer');
select is(sub(), 'waiting_steps 1 3 00:00:10', 'A mount has its policy: R-496');
select taken();
select tenure.define_step('one', max_attempts => 1);
select set_clock('1 s');
select failed(1, 'one');
select is(
    tree(1), 'outer waiting_steps, sub waiting_timer, one@1 discarded, two@1 cancelled',
    'A child that fails ends its attempt; the next waits for the delay: R-496'
);
select set_clock('3 s');
select swept();
select is(
    tree(1), 'outer waiting_steps, sub waiting_steps, one@1 discarded, two@1 cancelled, one available, two pending',
    'It has new children: R-496'
);
select is(sub(), 'waiting_steps 2 3 00:00:10', 'The timeout around it all counts on: R-481');
select taken();
select done(1, 'one', '1');
select set_clock('9.5 s');
select
    is(
        (select extract(epoch from c.time_left) from tenure.claim(array['default'], 'w') as c),
        0.5,
        'A child has what is left of it: R-429'
    );
select set_clock('10 s');
select is(swept(), '0 reclaimed, 1 timed out, 1 discarded, 0 woken', 'Then it ends the mount: R-496');
select is(
    tree(1),
    'outer discarded, sub discarded, one@1 discarded, two@1 cancelled, one completed, two cancelled',
    'With all that is in it: R-496'
);
select is(
    (select format('%s %s', s.error_kind, s.error) from tenure.step_status as s where s.name = 'sub'),
    'timeout {"kind": "timeout", "step": "sub", "type": "LimitPassed", "layer": "timeout", "limit": 10.000000, '
    '"message": "step sub passed its timeout", "position": 1}',
    'And says which layer it was: R-489'
);

-- Between two retries.
select tenure.define_workflow('outer', '{"nodes": [
    {"name": "sub", "workflow": "inner", "policy": [{"retry": {"attempts": 2, "delay": 5}}, {"timeout": 2}, {"retry": {"attempts": 9}}]}
]}');
select set_clock('100 s');
create temporary table second as select tenure.start('outer') as run_id;
select taken();
select set_clock('102 s');
select swept();
select
    is(
        tree(s.run_id),
        'outer waiting_steps, sub waiting_timer, one@1 cancelled, two@1 cancelled',
        'The outer retry goes on: R-482, R-496'
    )
from second as s;
select set_clock('107 s');
select swept();
select
    is(
        tree(s.run_id),
        'outer waiting_steps, sub waiting_steps, one@1 cancelled, two@1 cancelled, one available, two pending',
        'After its own delay: R-482, R-496'
    )
from second as s;
select is(
    (
        select s.deadline_at - timestamptz '2030-01-01 00:00:00+00'
        from tenure.step_status as s
        join second as r on r.run_id = s.run_id
        where s.name = 'sub'
    ),
    '00:01:49', 'With two seconds more: R-483'
);
select set_clock('109 s');
select swept();
select is(
    (select tree(s.run_id) from second as s),
    'outer discarded, sub discarded, one@1 cancelled, two@1 cancelled, one cancelled, two cancelled',
    'Then it has had its attempts'
);
select is(
    (
        select tenure.retry(s.step_id)
        from tenure.step_status as s
        join second as r on r.run_id = s.run_id
        where s.name = 'sub'
    ),
    'waiting_steps', 'It can be reopened: R-492'
);
select is(
    (
        select s.deadline_at - timestamptz '2030-01-01 00:00:00+00'
        from tenure.step_status as s
        join second as r on r.run_id = s.run_id
        where s.name = 'sub'
    ),
    '00:01:51', 'And has two seconds again: R-492'
);
select tenure.cancel(s.run_id) from second as s;

-- One that waits for its keys.
select tenure.define_workflow('outer', '{"nodes": [
    {"name": "first", "provides": ["n"]},
    {"name": "sub", "workflow": "inner", "requires": ["n"], "policy": [{"retry": {"attempts": 2, "delay": 5}}, {"timeout": 2}, {"retry": {"attempts": 9}}]}
]}');
select set_clock('200 s');
create temporary table third as select tenure.start('outer') as run_id;
select set_clock('202 s');
select is(swept(), '0 reclaimed, 1 timed out, 0 discarded, 0 woken', 'A limit ends its attempt: R-491');
select is(tree(s.run_id), 'outer waiting_steps, first available, sub pending', 'It waits on: R-491') from third as s;
select set_clock('204 s');
select taken();
select done(s.run_id, 'first', '1') from third as s;
select is(tree(s.run_id), 'outer waiting_steps, first completed, sub pending', 'Not before the delay: R-491')
from third as s;
select set_clock('207 s');
select swept();
select
    is(
        tree(s.run_id),
        'outer waiting_steps, first completed, sub waiting_steps, one available, two pending',
        'Then it begins: R-491'
    )
from third as s;
select tenure.cancel(s.run_id) from third as s;

-- A definition of a step that has the mount's name is not the mount's.
select tenure.define_step('sub', timeout => '1 s', deadline => '1 s', max_attempts => 7);
select tenure.define_workflow('outer', '{"nodes": [{"name": "sub", "workflow": "inner"}]}');
create temporary table fourth as select tenure.start('outer') as run_id;
select is(
    (
        select format('%s %s %s', s.max_attempts, coalesce(s.timeout::text, '-'), coalesce(s.deadline::text, '-'))
        from tenure.step_status as s join fourth as r on r.run_id = s.run_id where s.name = 'sub'
    ),
    '1 - -', 'A mount without a policy has one attempt and no limits: R-486'
);
select tenure.cancel(s.run_id) from fourth as s;

-- Quotas.
create function quotas()
returns text
language sql
as $$
select string_agg(format(
    '%s:%s %s', coalesce(s.node, s.name), array(select q.name from tenure_private.quota as q where q.quota_id = any(t.quota_ids) order by 1), t.quota_units
), ', ' order by s.step_id)
from tenure_private.step as o
join tenure.step_status as s on s.step_id = o.step_id
join tenure_private.track as t on t.track_id = o.track_id
where s.finished_at is null
$$;
select tenure.set_quota(q.name, 3) from (values ('cpu'), ('disk'), ('http'), ('mail')) as q (name);
select tenure.define_step('send', quota => 'mail', quota_units => 2);
select tenure.define_workflow('inner', '{"nodes": [
    {"name": "bare"}, {"name": "send"}, {"name": "other", "step": "send", "quota": "http"}
]}');
select tenure.define_workflow('outer', '{"nodes": [
    {"name": "sub", "workflow": "inner", "quota": "disk"},
    {"name": "each", "map": "items", "step": "bare", "quota": "cpu"},
    {"name": "subs", "map": "objects", "workflow": "inner", "quota": "cpu"}
]}');
create temporary table fifth as select tenure.start('outer', '{"items": [1], "objects": [{}]}') as run_id;
select is(
    quotas(),
    'outer:{} , sub:{} , each:{} , subs:{} , bare:{disk} 1, send:{disk,mail} 2, other:{disk,http} 2,'
    ' each:{cpu} 1, subs:{} , bare:{cpu} 1, send:{cpu,mail} 2, other:{cpu,http} 2',
    'Each leaf has those of the mounts and maps around it, and its own, else its definition''s: R-498'
);
select is(
    (
        select string_agg(coalesce(s.node, s.name), ' ' order by c.step_id)
        from tenure.claim(array['default'], 'w', 99) as c
        join tenure.step_status as s on s.step_id = c.step_id
    ),
    'bare send each bare', 'And is claimed when all of them have room: R-470, R-498'
);

-- What is refused.
select
    throws_ok(
        format($$ select tenure.define_workflow('bad', '{"nodes": [{"name": "n", "policy": %s}]}') $$, p.policy),
        p.code,
        null,
        format('%s is refused: R-480', p.policy)
    )
from (
    values
    ('{"timeout": 1}', 'TN007'),
    ('[{"timeout": "-1 s"}]', 'TN006'),
    ('[{"timeout": "1 month"}]', 'TN006'),
    ('[{"timeout": "soon"}]', 'TN007'),
    ('[{"retry": 3}]', 'TN007'),
    ('[{"timeout": 1, "retry": {"attempts": 1}}]', 'TN007')
) as p (policy, code);
select throws_ok(
    $$ select tenure.define_workflow('bad', '{"nodes": [{"name": "x"}], "policy": [{}]}') $$,
    'TN007', null, 'A workflow''s policy is looked at too: R-480'
);
select tenure.set_quota('http', 1);
select throws_ok(
    $$ select tenure.define_workflow('bad', '{"nodes": [{"name": "send", "quota": "http"}]}') $$,
    'TN007', null, 'So are the units of a node''s step: R-461'
);

select * from finish();
rollback;
