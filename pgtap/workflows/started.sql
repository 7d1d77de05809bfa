begin;
select plan(26);
\ir ../session.psql
\ir ../steps.psql
\ir ../tree.psql

-- The policy of what a handler starts: attempts, timeout, deadline, and how many layers lie beside its row.
create function policy(p_step_id bigint)
returns text
language sql
as $$
select format(
    '%s attempts, timeout %s, limit %s, %s layers', s.max_attempts, coalesce(extract(epoch from s.timeout)::text, '-'),
    coalesce(extract(epoch from s.deadline_at - tenure_private.clock())::text, '-'),
    (select count(*) from tenure_private.layer as l where l.step_id = s.step_id)
)
from tenure.step_status as s
where s.step_id = p_step_id
$$;
-- Runs a workflow whose one node is claimed, alone; returns that step.
create function running(p_workflow text)
returns bigint
language plpgsql
as $$
begin
    perform tenure.cancel(r.run_id) from tenure.run_status as r where r.finished_at is null;
    perform tenure.start(p_workflow);
    return (select c.step_id from tenure.claim(array['default'], 'w', 1, '1 h', '{a}') as c);
end
$$;

-- Without a policy around it, it is as enqueued.
select tenure.define_workflow('bare', '{"nodes": [{"name": "a"}]}');
select
    is(
        policy(tenure.start_child(running('bare'), 'w', 1, 'k')),
        '5 attempts, timeout -, limit -, 0 layers',
        'Nothing is said: R-449'
    );
select is(
    policy(tenure.start_child(running('bare'), 'w', 1, 'k', timeout => '2 s')),
    '5 attempts, timeout 2.000000, limit -, 0 layers',
    'The call alone says something: R-449'
);

-- The policy of the workflow, around whatever is its own.
select tenure.define_workflow('wrapped', '{"nodes": [{"name": "a"}], "policy": [{"timeout": "30 s"}]}');
select is(
    policy(tenure.start_child(running('wrapped'), 'w', 1, 'k')), '1 attempts, timeout -, limit 30.000000, 2 layers',
    'A policy around it, and no built-in default beside that: R-449'
);
select is(
    policy(tenure.start_child(running('wrapped'), 'w', 1, 'k', max_attempts => 3, timeout => '4 s')),
    '3 attempts, timeout 4.000000, limit 30.000000, 3 layers', 'With what the call says inside of it: R-449'
);
select is(
    policy(tenure.start_child(running('wrapped'), 'w', 1, 'k', deadline => '10 s', max_attempts => 0)),
    '1 attempts, timeout -, limit 10.000000, 3 layers', 'A deadline of its own: R-449'
);
select
    tenure.define_step(
        'd', max_attempts => 2, timeout => '6 s', backoff => '{"kind": "fixed", "base": 7, "jitter": 0}'
    );
select is(
    policy(tenure.start_child(running('wrapped'), 'w', 1, 'd')),
    '2 attempts, timeout 6.000000, limit 30.000000, 3 layers',
    'With what define_step says: R-449'
);
create temporary table it as select tenure.start_child(running('wrapped'), 'w', 1, 'd', timeout => '5 s') as step_id;
select is(policy(i.step_id), '2 attempts, timeout 5.000000, limit 30.000000, 3 layers', 'The call beats it: R-449')
from it as i;

-- From all mounts around, the outermost first; each attempt of an outer retry has the inner limit anew.
select
    tenure.define_workflow(
        'in', '{"nodes": [{"name": "a", "policy": [{"retry": {"attempts": 1}}]}], "policy": [{"timeout": "8 s"}]}'
    );
select
    tenure.define_workflow(
        'out', '{"nodes": [{"name": "m", "workflow": "in"}], "policy": [{"retry": {"attempts": 2, "delay": "1 s"}}]}'
    );
select set_clock('100 s');
truncate it;
insert into it
select
    tenure.start_child(
        running('out'), 'w', 1, 'k', max_attempts => 2, backoff => '{"kind": "fixed", "base": 2, "jitter": 0}'
    );
select
    is(
        policy(i.step_id),
        '4 attempts, timeout -, limit 8.000000, 3 layers',
        'Two retries and a timeout in between: R-449'
    )
from it as i;
select is(
    (
        select string_agg(l.kind, ' ' order by l.position)
        from tenure_private.layer as l
        join it as i on i.step_id = l.step_id
    ),
    'retry timeout retry', 'in this order: R-449'
);
select is(extract(epoch from c.time_left), 8.0, 'A claim tells of the limit: R-449')
from tenure.claim('{default}', 'w', 1, '1 h', '{k}') as c;
select is(tenure.fail(i.step_id, 'w', 1, '{}'), 'retrying', 'Its own retry') from it as i;
select is(shown(i.step_id) ->> 'due', '00:01:42', 'has its own delay: R-449') from it as i;
select set_clock('108 s');
select swept();
select
    is(
        shown(i.step_id, 'state', 'attempt', 'error_kind'),
        'available 3 timeout',
        'The retry around the limit goes on: R-449'
    )
from it as i;
select is(shown(i.step_id) ->> 'due', '00:01:49', 'after its delay: R-449') from it as i;
select set_clock('109 s');
select is(extract(epoch from c.time_left), 8.0, 'with the limit anew: R-449')
from tenure.claim('{default}', 'w', 1, '1 h', '{k}') as c;
select tenure.pause(s.run_id) from it as i join tenure.step_status as s on s.step_id = i.step_id;
select is(tenure.release(i.step_id, 'w', 2), 'released', 'Handed back while the run is paused') from it as i;
select set_clock('200 s');
select tenure.resume(s.run_id) from it as i join tenure.step_status as s on s.step_id = i.step_id;
select is(extract(epoch from c.time_left), 8.0, 'A pause stops its clock: R-493')
from tenure.claim('{default}', 'w', 1, '1 h', '{k}') as c;

-- Reopened by an operator.
truncate it;
insert into it select tenure.start_child(running('wrapped'), 'w', 1, 'k');
select tenure.claim('{default}', 'w', 1, '1 h', '{k}');
select tenure.fail(i.step_id, 'w', 1, '{}') from it as i;
select set_clock('210 s');
select is(tenure.retry(i.step_id), 'available', 'It failed, and is retried') from it as i;
select is(policy(i.step_id), '2 attempts, timeout -, limit 30.000000, 2 layers', 'in all its layers anew: R-492')
from it as i;

-- The queue's bounds.
select tenure.create_queue('tight', 'delivery');
select is(
    policy(tenure.start_child(running('wrapped'), 'w', 1, 'k', queue => 'tight')),
    '1 attempts, timeout 30.000000, limit 30.000000, 2 layers',
    'A queue has its timeout: R-449'
);
select throws_ok(
    $$ select tenure.start_child(running('wrapped'), 'w', 1, 'k', queue => 'tight', timeout => '1 ms') $$,
    'TN009',
    null,
    'and refuses what is beyond: R-449'
);

-- Quotas: of the mount, and of the name.
select tenure.set_quota('around', 2);
select tenure.set_quota('own', 1);
select tenure.define_step('q', quota => 'own');
select tenure.define_workflow('rationed', '{"nodes": [{"name": "m", "workflow": "bare", "quota": "around"}]}');
create temporary table by_id as select running('rationed') as step_id;
select tenure.start_child(b.step_id, 'w', 1, n.name)
from by_id as b
cross join unnest('{q, q, k, k}'::text[]) as n (name);
select is(
    (select string_agg(format('%s %s', q.quota, q.in_use), ', ' order by q.quota) from tenure.quota_status as q),
    'around 1, own 0', 'The mount''s step holds a unit'
);
select is(
    (select string_agg(c.name, ' ') from tenure.claim('{default}', 'w', 9) as c), 'q', 'One more has room: R-459'
);
select is(
    (select string_agg(format('%s %s', q.quota, q.in_use), ', ' order by q.quota) from tenure.quota_status as q),
    'around 2, own 1', 'It is in both quotas: R-459'
);
select tenure.complete(b.step_id, 'w', 1) from by_id as b;
select is(
    (select string_agg(c.name, ' ') from tenure.claim('{default}', 'w', 9) as c), 'k',
    'The next that needs no more than the mount''s: R-459'
);
select is(broken(), null, 'No terminal group has an open child: R-438');
select * from finish();
rollback;
