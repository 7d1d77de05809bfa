begin;
select plan(20);
\ir ../session.psql
\ir ../tree.psql

-- Children of an execution whose time is over.
select tenure.define_step('kid', max_attempts => 1);
select tenure.define_workflow('limits', '{"nodes": [
    {"name": "timeout", "policy": [{"retry": {"attempts": 2}}, {"timeout": "5 s"}]},
    {"name": "layer", "policy": [{"timeout": "5 s"}, {"retry": {"attempts": 2}}]}
]}');
select
    tenure.define_workflow(
        'mounts', '{"nodes": [{"name": "m", "workflow": "limits", "policy": [{"timeout": "3 s"}]}]}'
    );
select tenure.start('limits');
select taken();
select set_clock('4 s');
select is(tenure.start_child(2, 'w', 1, 'kid') > 3, true, 'Within its limits a step starts children');
select set_clock('5 s');
select
    throws_ok(
        format('select tenure.start_child(%s, %L, 1, %L)', n.step_id, 'w', 'kid'),
        'TN014',
        'the time of the execution is over',
        format('Past a %s it does not: R-453', n.name)
    )
from (values (2, 'timeout'), (3, 'layer')) as n (step_id, name);
select tenure.cancel(1);
create temporary table mounted as select tenure.start('mounts') as run_id;
select taken();
select set_clock('8 s');
select
    throws_ok(
        format('select tenure.start_child(%s, %L, 1, %L)', at(run_id, 'layer'), 'w', 'kid'), 'TN014', null,
        'Nor past a limit of a group around it: R-453'
    )
from mounted;
select is((select count(*) from tenure.step_status as s where s.name = 'kid'), 1::bigint, 'And nothing was made');
select tenure.cancel(run_id) from mounted;

-- A set of children that is begun anew starts its own.
select set_clock('1 m');
select tenure.define_workflow('once', '{"nodes": [{"name": "x", "policy": [{"retry": {"attempts": 1}}]}]}');
select tenure.define_workflow('twice', '{"nodes": [
    {"name": "m", "workflow": "once", "policy": [{"retry": {"attempts": 2, "delay": "1 s"}}]}
]}');
create temporary table sets as select tenure.start('twice') as run_id;
select taken();
create function kid(p_key text)
returns bigint
language sql
as $$
select tenure.start_child(s.step_id, 'w', s.lease_generation, 'kid', idempotency_key => p_key)
from sets
join tenure.step_status as s on s.step_id = at(sets.run_id, 'x')
$$;
create temporary table kids as select kid('k') as first;
select is(kid('k'), first, 'A key finds the child of this attempt of the group: R-452') from kids;
select failed(run_id, 'x', 'retryable') from sets;
select is(
    (select format('%s %s', s.state, s.cancel_reason) from kids join tenure.step_status as s on s.step_id = kids.first),
    'cancelled sibling_discarded', 'which goes with it'
);
select set_clock('1 m 1 s');
select tenure.sweep();
select taken();
create temporary table seconds as select kid('k') as second;
select is(s.second > k.first, true, 'In the next it makes another: R-452') from seconds as s cross join kids as k;
select is(kid('k'), second, 'and finds that') from seconds;
select tenure.cancel(run_id) from sets;

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

-- What was cancelled with a sibling had still to wait.
select set_clock('2 m');
select tenure.define_workflow('fails', '{"nodes": [
    {"name": "a"}, {"name": "b", "policy": [{"retry": {"attempts": 1}}]},
    {"name": "c", "policy": [{"retry": {"attempts": 3, "delay": "1 h"}}]}
]}');
create temporary table failing as select tenure.start('fails') as run_id;
select taken();
select tenure.start_child(at(run_id, 'a'), 'w', 1, 'kid', delay => '1 day') from failing;
select is(failed(run_id, 'c', 'retryable'), 'retrying', 'A backoff of an hour') from failing;
select failed(run_id, 'b') from failing;
select is(tree(run_id), 'fails discarded, a cancelled, b discarded, c cancelled, kid cancelled', 'All ended together')
from failing;
select set_clock('3 m');
select is(tenure.retry(run_id), 'waiting_steps', 'Reopened together') from failing;
select
    is(
        (
            select
                string_agg(
                    format('%s %s', coalesce(s.node, s.name), s.scheduled_at - '2030-01-01 00:00:00+00'),
                    ', ' order by s.step_id
                )
            from tenure.step_status as s where s.parent_id = failing.run_id
        ),
        'a 00:03:00, b 00:03:00, c 01:02:00, kid 1 day 00:02:00',
        'each waits for what it had to wait for: R-443'
    )
from failing;
select tenure.cancel(run_id) from failing;

-- A key stands for no run that is hidden.
select set_clock('4 m');
create temporary table keyed as select tenure.start('fails', idempotency_key => 'once') as run_id;
select tenure.cancel(run_id) from keyed;
select tenure.define_step('plain');
create temporary table plain as select tenure.enqueue('plain', idempotency_key => 'once') as run_id;
select tenure.claim('{default}', 'w', names => '{plain}');
select tenure.start_child(run_id, 'w', 1, 'kid') from plain;
select tenure.complete(run_id, 'w', 1) from plain;
select set_clock('10 h');
-- Calls purge until nothing is left, and tells how often a key stood for what nobody can see.
create function purged_by_ones()
returns bigint
language plpgsql
as $$
declare
    v_broken bigint := 0;
begin
    while tenure.purge('1 h', 1) > 0 loop
        v_broken := v_broken + (
            select count(*)
            from tenure_private.idempotency as i
            where i.kind in ('step', 'workflow')
                and not exists (select from tenure.run_status as r where r.run_id = i.step_id)
        );
    end loop;
    return v_broken;
end
$$;
select is(purged_by_ones(), 0::bigint, 'However little goes at once, the key goes first: R-446');
select is(tenure.start('fails', idempotency_key => 'once') > run_id, true, 'and is free for another run') from keyed;

-- Groups are not leased.
select is(
    (
        select string_agg(distinct format('%s %s', l.owner, l.generation), ', ')
        from tenure.attempt_log as l
        where l.name = 'fails'
    ),
    null, 'Nothing has failed'
);
create temporary table again as select tenure.start('fails') as run_id;
select taken();
select failed(run_id, 'b') from again;
select is(
    (
        select string_agg(format('%s %s %s', l.name, coalesce(l.owner, '-'), l.generation), ', ' order by l.step_id)
        from tenure.attempt_log as l
    ),
    'fails - 0, a w 1, b w 1, c w 1', 'The attempt of a group has neither owner nor generation'
);
select * from finish();
rollback;
