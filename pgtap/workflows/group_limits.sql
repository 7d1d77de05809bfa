begin;
select plan(52);
\ir ../session.psql
\ir ../steps.psql
\ir ../tree.psql

-- What a claim says of the time left, by node: nothing is claimed where nothing is said.
create function lefts(p_names text[] default null)
returns text
language sql
as $$
select string_agg(format('%s %s', coalesce(s.node, s.name), coalesce(extract(epoch from c.time_left)::text, 'no limit')), ', ' order by c.step_id)
from tenure.claim(array['default'], 'w', 1000, '1 h', p_names) as c
join tenure.step_status as s on s.step_id = c.step_id
$$;
create function beats(p_run_id bigint, p_node text)
returns text
language sql
as $$
select format('%s %s', h.verdict, coalesce(extract(epoch from h.time_left)::text, '-'))
from tenure.step_status as s
cross join lateral tenure.heartbeat(s.step_id, s.lease_owner, s.lease_generation) as h
where s.step_id = at(p_run_id, p_node)
$$;

-- A mount with a timeout.
select tenure.define_workflow('pair', '{"nodes": [{"name": "a", "provides": ["k"]}, {"name": "b"}]}');
select tenure.define_workflow('limited', '{"nodes": [
    {"name": "m", "workflow": "pair", "policy": [{"timeout": "5 s"}]}
]}');
select tenure.start('limited');
select is(lefts('{a}'), 'a 5.000000', 'A child has the time that its mount has left: R-429');
select set_clock('2 s');
select is(beats(1, 'a'), 'renewed 3.000000', 'A heartbeat tells of it: R-429');
select set_clock('5 s');
select is(lefts(), null, 'A step in a mount whose timeout has passed is not claimed, swept or not: R-428');
select is(lefts('{b}'), null, 'however it is asked for: R-428');
select is(beats(1, 'a'), 'cancelled -', 'A heartbeat tells what will become of the step: R-448');
select is(tenure.stage(3, 'w', 1, 'k', '1'), 'cancelled', 'It stages nothing more: R-448');
select is(
    tree(1), 'limited waiting_steps, m waiting_steps, a running, b available', 'Though nobody has seen to it yet'
);
select is(done(1, 'a', '1'), 'cancelled', 'Its success is none: R-448');
select is((select r.in_flight from tenure.run_status as r), 0::bigint, 'Its body has come back: R-448');
select is(tenure.complete(3, 'w', 1, '1'), 'cancelled', 'The same report gets the same answer: R-448');
select is(tree(1), 'limited discarded, m discarded, a cancelled, b cancelled', 'The mount ends with it: R-448');
select is(shown(3, 'cancel_reason', 'error_kind'), 'group_ended -', 'by its limit: R-448');
select is((select s.error_kind from tenure.step_status as s where s.step_id = 2), 'timeout', 'kind timeout: R-448');

-- Every report.
create function late(p_verb text)
returns text
language plpgsql
as $$
declare
    v_run_id bigint;
    v_step_id bigint;
    v_verdict text;
begin
    perform set_clock('1000 s');
    v_run_id := tenure.start('limited');
    select c.step_id into strict v_step_id from tenure.claim(array['default'], 'w', 1, '1 h', '{a}') as c;
    perform set_clock('1005 s');
    v_verdict := report(p_verb, v_step_id, 'w', 1);
    return format('%s: %s', v_verdict, tree(v_run_id));
end
$$;
select
    is(
        late(v.verb),
        'cancelled: limited discarded, m discarded, a cancelled, b cancelled',
        v.verb || ' comes too late: R-448'
    )
from
    unnest(
        array['complete_many', 'skip', 'fail', 'fail permanent', 'fail timeout', 'release', 'sleep', 'wait_signal']
    ) as v (verb);
select is(
    late('fail uncertain'), 'discarded: limited discarded, m discarded, a discarded, b cancelled',
    'A commit in doubt is told: R-448'
);
select
    is(
        late('heartbeat_many'),
        'cancelled: limited waiting_steps, m waiting_steps, a running, b available',
        'As heartbeat: R-448'
    );
select tenure.cancel(r.run_id) from tenure.run_status as r where r.state = 'waiting_steps';

-- The nearest of all limits, at every depth.
select tenure.define_workflow('one', '{"nodes": [{"name": "x", "provides": ["k"]}]}');
select tenure.define_workflow(
    'inner', '{"nodes": [{"name": "in", "workflow": "one", "policy": [{"timeout": "30 s"}]}]}'
);
select
    tenure.define_workflow(
        'outer', '{"nodes": [{"name": "out", "workflow": "inner", "policy": [{"timeout": "20 s"}]}]}'
    );
select set_clock('2000 s');
create temporary table run as select tenure.start('outer', deadline => '40 s') as run_id;
select is(lefts(), 'x 20.000000', 'Of the groups around it the nearest limit counts: R-429');
select tenure.cancel(r.run_id) from run as r;
truncate run;
insert into run select tenure.start('outer', deadline => '10 s');
select is(lefts(), 'x 10.000000', 'The deadline of the run is one: R-429');
select tenure.cancel(r.run_id) from run as r;
truncate run;
select tenure.define_step('x', timeout => '7 s');
insert into run select tenure.start('outer');
select is(lefts(), 'x 7.000000', 'Its own is nearer: R-429');
select tenure.cancel(r.run_id) from run as r;
select tenure.define_step('x');

-- A retry around a timeout, within a timeout: each attempt has its own time, and all have one.
select tenure.define_workflow('again', '{"nodes": [
    {"name": "m", "workflow": "one",
     "policy": [{"timeout": "8 s"}, {"retry": {"attempts": 3, "delay": "1 s"}}, {"timeout": "5 s"}]}
]}');
select set_clock('3000 s');
truncate run;
insert into run select tenure.start('again');
select is(lefts(), 'x 5.000000', 'The first attempt''s: R-429');
select set_clock('3005 s');
select swept();
select set_clock('3006 s');
select swept();
select is(lefts(), 'x 2.000000', 'The second attempt has what is left of all: R-429');

-- A paused run: the clocks of its groups stand still.
select set_clock('4000 s');
truncate run;
insert into run select tenure.start('limited');
select is(lefts('{a}'), 'a 5.000000', 'Of two one is claimed');
select set_clock('4003 s');
select tenure.pause(r.run_id) from run as r;
select set_clock('4100 s');
select is(beats(r.run_id, 'a'), 'renewed -', 'A paused mount limits nobody: R-442') from run as r;
select tenure.resume(r.run_id) from run as r;
select is(lefts(), 'b 2.000000', 'It goes on with what it had left: R-442');
select is(beats(r.run_id, 'a'), 'renewed 2.000000', 'for those that ran meanwhile, too: R-442') from run as r;
select set_clock('4102 s');
select tenure.pause(r.run_id) from run as r;
select is(done(r.run_id, 'a', '1'), 'cancelled', 'What had passed before the pause has passed: R-448') from run as r;
select tenure.resume(r.run_id) from run as r;
select
    is(
        tree(r.run_id),
        'limited discarded, m discarded, a cancelled, b cancelled',
        'and ends the mount at resume: R-442'
    )
from run as r;

-- retry: the clocks of what it reopens begin anew.
select set_clock('5000 s');
select tenure.retry(at(r.run_id, 'm')) from run as r;
select is(lefts(), 'a 5.000000, b 5.000000', 'of a mount: R-444') from run;
select failed(r.run_id, 'a') from run as r;
select set_clock('5100 s');
select tenure.retry(at(r.run_id, 'a')) from run as r;
select is(lefts(), 'a 5.000000, b 5.000000', 'of a child: R-443');
select tenure.cancel(r.run_id) from run as r;

-- A map, and what its elements start.
select tenure.define_workflow('each', '{"nodes": [
    {"name": "m", "workflow": "mapped", "requires": ["l"], "policy": [{"timeout": "5 s"}]}
]}') from tenure.define_workflow('mapped', '{"nodes": [{"name": "e", "map": "l", "provides": ["r"]}]}');
select set_clock('6000 s');
truncate run;
insert into run select tenure.start('each', '{"l": [1, 2]}');
select is(lefts(), 'e 5.000000, e 5.000000', 'Elements of a map: R-429');
select tenure.start_child(at(r.run_id, 'e', 0), 'w', 1, 'kid') from run as r;
select set_clock('6001 s');
select
    is(
        (select c.time_left from tenure.claim('{default}', 'w', 1, '1 h', '{kid}') as c),
        '4 s',
        'What a handler has started: R-429'
    );
select tenure.start_child(at(r.run_id, 'e', 1), 'w', 1, 'kid') from run as r;
select set_clock('6005 s');
select is(lefts(), null, 'Nor is it claimed later: R-428');
select is(tenure.complete(s.step_id, 'w', 1), 'cancelled', 'It does not complete either: R-448')
from tenure.step_status as s where s.name = 'kid' and s.state = 'running';
select swept();
select
    is(
        (select count(*)::int from tenure.step_status as s where s.run_id = r.run_id and s.state = 'cancelled'),
        5,
        'for all that is below: R-436'
    )
from run as r;

-- Under a quota.
select tenure.set_quota('q', 1);
select
    tenure.define_workflow(
        'rationed', '{"nodes": [{"name": "m", "workflow": "pair", "quota": "q", "policy": [{"timeout": "5 s"}]}]}'
    );
select set_clock('6500 s');
truncate run;
insert into run select tenure.start('rationed');
select is(lefts(), 'a 5.000000', 'A quota has room for one');
select done(r.run_id, 'a', '1') from run as r;
select set_clock('6505 s');
select tenure.define_step('free', quota => 'q');
select tenure.enqueue('free');
select is(lefts(), 'free no limit', 'The other one is late, and takes no room: R-428');
select tenure.cancel(r.run_id) from run as r;

-- A signal is not spent on who is not to be woken.
select
    tenure.define_workflow(
        'waits', '{"nodes": [{"name": "m", "workflow": "pair", "policy": [{"timeout": "5 s"}]}, {"name": "c"}]}'
    );
select set_clock('7000 s');
truncate run;
insert into run select tenure.start('waits');
select is(lefts('{a, c}'), 'c no limit, a 5.000000', 'Beside a limited mount there is no limit');
select tenure.wait_signal(at(r.run_id, 'a'), 'w', 1, 'go') from run as r;
select tenure.wait_signal(at(r.run_id, 'c'), 'w', 1, 'go') from run as r;
select set_clock('7005 s');
select is(tenure.signal(r.run_id, 'go'), 'delivered', 'A signal: R-428') from run as r;
select is(
    (
        select string_agg(s.state, ' ' order by s.node)
        from tenure.step_status as s
        where s.run_id = r.run_id and s.node in ('a', 'c')
    ),
    'waiting_signal available', 'is for who can still be claimed: R-428'
) from run as r;

-- A mount that is late before its keys come is not opened any more.
select tenure.define_workflow('slow', '{"nodes": [
    {"name": "c", "provides": ["k"]}, {"name": "m", "workflow": "pair", "requires": ["k"], "policy": [{"timeout": "5 s"}]}
]}');
select set_clock('7500 s');
select tenure.cancel(r.run_id) from run as r;
truncate run;
insert into run select tenure.start('slow');
select is(lefts('{c}'), 'c no limit', 'One step before a mount');
select set_clock('7505 s');
select is(done(r.run_id, 'c', '1'), 'completed', 'It ends') from run as r;
select is(tree(r.run_id), 'slow waiting_steps, c completed, m pending', 'The mount stays as it is: R-428')
from run as r;
select swept();
select is(tree(r.run_id), 'slow discarded, c completed, m discarded', 'until its limit ends it: R-437') from run as r;

-- The clock set back.
select set_clock('8000 s');
truncate run;
select swept();
insert into run select tenure.start('limited');
select set_clock('7000 s');
select swept();
select is(lefts('{a}'), 'a 5.000000', 'A clock set back takes the limits of groups along: R-428');
select is(broken(), null, 'No terminal group has an open child: R-438');
select * from finish();
rollback;
