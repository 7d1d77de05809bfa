begin;
select plan(17);
\ir ../session.psql
\ir ../tree.psql

-- A group that fails at once, again and again: a map over what is none.
select tenure.define_workflow('bad', '{"nodes": [{"name": "each", "map": "in"}]}');
select tenure.define_workflow(
    'again',
    '{"nodes": [{
        "name": "m", "workflow": "bad", "requires": ["in"],
        "policy": [{"retry": {"attempts": 1000000, "delay": "0 s"}}]
    }]}'
);
select tenure.start('again', '{"in": 1}');
select is(
    shown(2, 'state', 'attempt'), 'waiting_timer 100', 'A call makes a hundred attempts at most: R-433'
);
select is((select (tenure.sweep()).woken), 1, 'and the sweep goes on: R-433');
select is(shown(2, 'state', 'attempt'), 'waiting_timer 200', 'with a hundred more: R-433');
select is(tenure.cancel(1), 2, 'It can be cancelled');

-- A clock that is set back while a group waits for its next attempt.
alter sequence tenure_private.step_id_seq restart with 1001;
select tenure.define_workflow('w', '{"nodes": [{"name": "a"}]}');
select set_clock('2 h');
select tenure.sweep();
select tenure.start('w', max_attempts => 2, backoff => '{"kind": "fixed", "base": 60, "jitter": 0}');
select taken();
select failed(1001, 'a');
select is(shown(1001, 'state', 'due_at'), 'waiting_timer 2030-01-01T02:01:00+00:00', 'A backoff of a minute');
select set_clock('0');
select tenure.sweep();
select is(
    shown(1001, 'state', 'due_at'),
    'waiting_timer 2030-01-01T00:01:00+00:00',
    'stays one when the clock is set back: R-092'
);

-- Everything that the old clock wrote goes back with it: an hour, in the midst of all.
create function set_back()
returns void
language sql
as $$
select tenure.sweep();
select set_clock('1 h');
select tenure.sweep();
$$;
create function claimed_now()
returns text
language sql
as $$ select string_agg(c.name, ' ' order by c.name) from tenure.claim('{default}', 'w', 100) as c $$;
select tenure.cancel(1001);
select set_clock('2 h');
select tenure.define_workflow('clocks', '{"nodes": [
    {"name": "first", "provides": ["k"], "policy": []},
    {"name": "second", "requires": ["k"], "policy": []}
]}');
select tenure.define_workflow('layers', '{"nodes": [
    {"name": "layered", "policy": [{"timeout": "30 s"}, {"retry": {"attempts": 3}}]}
]}');
select tenure.define_workflow('inner', '{"nodes": [{"name": "leaf", "policy": [{"retry": {"attempts": 1}}]}]}');
select tenure.define_workflow('backoffs', '{"nodes": [
    {"name": "mount", "workflow": "inner", "policy": [{"retry": {"attempts": 2, "delay": "10 s"}}]}
]}');
create temporary table clocks as
select
    tenure.start('clocks') as chain,
    tenure.start('layers') as layered,
    tenure.start('backoffs') as backing,
    tenure.enqueue('paused') as job;
select tenure.pause(job) from clocks;
select is(claimed_now(), 'first layered leaf', 'All but the paused one run');
select failed(backing, 'leaf', 'retryable') from clocks;
select set_clock('2 h 1 s');
select set_back();
select done(chain, 'first', '1') from clocks;
select tenure.resume(job) from clocks;
select is(claimed_now(), 'paused second', 'What follows, and what was paused, is due at once: R-092');
select set_clock('1 h 8 s');
select tenure.sweep();
select is(claimed_now(), null, 'The backoff of a mount');
select set_clock('1 h 9 s');
select tenure.sweep();
select is(claimed_now(), 'leaf', 'has the nine seconds that it had left: R-092');
select set_clock('1 h 28 s');
select tenure.sweep();
select is(shown(at(layered, 'layered'), 'state', 'error_kind'), 'running -', 'A layer') from clocks;
select set_clock('1 h 29 s');
select tenure.sweep();
select
    is(
        shown(at(layered, 'layered'), 'state', 'error_kind', 'attempt'),
        'discarded timeout 1',
        'has what it had left: R-092'
    )
from clocks;

-- What has no lease, never began and reported nothing has none of it afterwards; and in a paused run no clock goes on.
select set_clock('9 h');
select tenure.define_workflow('limited', '{"nodes": [
    {"name": "mount", "workflow": "inner", "policy": [{"timeout": "30 s"}]},
    {"name": "later", "requires": ["never", "k"]},
    {"name": "keys", "provides": ["k"]}
]}');
create temporary table paused as
select
    tenure.start('limited', '{"never": 1}') as run_id,
    tenure.enqueue('released') as job,
    tenure.enqueue('new') as new_job;
select tenure.claim('{default}', 'w', 10, '1 day', '{released}');
select tenure.release(p.job, 'w', 1) from paused as p;
select is(claimed_now(), 'keys leaf new released', 'At work') from paused;
select tenure.release(p.job, 'w', 2) from paused as p;
select set_clock('9 h 10 s');
select tenure.pause(p.run_id) from paused as p;
select set_back();
select is(
    (
        select string_agg(format('%s %s', coalesce(s.node, s.name), c.name), ', ')
        from paused as p
        join tenure.step_status as s on s.run_id in (p.run_id, p.job, p.new_job)
        cross join
            lateral (
                values
                ('lease', s.state <> 'running' and s.lease_expiry is not null),
                ('start', s.lease_generation = 0 and coalesce(s.node, s.name) = 'later' and s.started_at is not null),
                ('heartbeat', s.lease_generation = 0 and s.heartbeat_at is not null),
                ('progress', s.progress_at is not null)
            ) as c (name, given)
        where c.given
    ),
    null, 'Nothing is given to a step that had none: R-092'
);
select
    is(
        (select r.in_flight from paused as p cross join tenure.status(p.job) as r),
        0::bigint,
        'No lease without a claim'
    );
select set_clock('1 h 2 m');
select is(
    (select (tenure.heartbeat(at(p.run_id, 'leaf'), 'w', 1)).verdict from paused as p), 'renewed',
    'The limit of a mount stands still while its run is paused: R-442'
);
select is(done(p.run_id, 'leaf', '7'), 'completed', 'and what was at work counts') from paused as p;
select * from finish();
rollback;
