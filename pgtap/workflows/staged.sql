-- What an attempt has staged goes with it, wherever its end finds the step.
begin;
select plan(35);
\ir ../session.psql
\ir ../tree.psql

-- Stages "old" for x.
create function staged_old(p_run_id bigint)
returns text
language sql
as $$
select tenure.stage(s.step_id, 'w', s.lease_generation, 'x', '"old"')
from tenure.step_status as s where s.step_id = at(p_run_id, 'a')
$$;
-- What the running attempt sees of it.
create function seen(p_run_id bigint)
returns jsonb
language sql
as $$
select tenure.staged(s.step_id, 'w', s.lease_generation, 'x')
from tenure.step_status as s where s.step_id = at(p_run_id, 'a')
$$;
create function waits(p_run_id bigint, p_verb text)
returns text
language sql
as $$
select case p_verb
    when 'sleep' then tenure.sleep(s.step_id, 'w', s.lease_generation, '100 s')
    else tenure.wait_signal(s.step_id, 'w', s.lease_generation, 'go', '100 s')
end
from tenure.step_status as s where s.step_id = at(p_run_id, 'a')
$$;

-- A window of five seconds for an attempt, waits included.
select tenure.define_workflow('window', '{"nodes": [
    {"name": "a", "provides": ["x"],
     "policy": [{"retry": {"attempts": 9, "delay": "1 s"}}, {"timeout": "5 s"}, {"retry": {"attempts": 1}}]},
    {"name": "z", "requires": ["x"]}
]}');
select tenure.start('window');
select taken();
select is(staged_old(1), 'staged', 'Staged');
select is(waits(1, 'sleep'), 'sleeping', 'and asleep');
select set_clock('5 s');
select tenure.sweep();
select set_clock('6 s');
select is(taken(), 'a -', 'The next attempt');
select is(seen(1), null, 'sees nothing of what was staged before the sleep: R-416');

select is(staged_old(1), 'staged', 'Staged');
select is(waits(1, 'wait_signal'), 'waiting', 'and waiting');
select set_clock('11 s');
select tenure.sweep();
select set_clock('12 s');
select taken();
select is(seen(1), null, 'Nor of what was staged before a signal wait: R-416');

select tenure.cancel(1);

-- A limit for each execution: who asks to sleep past it has failed.
select tenure.define_workflow('limit', '{"nodes": [
    {"name": "a", "provides": ["x"], "policy": [{"retry": {"attempts": 9, "delay": "1 s"}}, {"timeout": "5 s"}]},
    {"name": "z", "requires": ["x"]}
]}');
create temporary table run as select tenure.start('limit') as id;
select taken();
select staged_old(id) from run;
select set_clock('20 s');
select is(waits(id, 'sleep'), 'timed_out', 'A sleep that comes too late') from run;
select set_clock('21 s');
select taken();
select is(seen(id), null, 'keeps nothing: R-416') from run;
select staged_old(id) from run;
select set_clock('30 s');
select is(waits(id, 'wait_signal'), 'timed_out', 'Nor does a wait') from run;
select set_clock('31 s');
select taken();
select is(seen(id), null, 'that comes too late: R-416') from run;
select is(done(id, 'a', '"new"'), 'completed', 'What the last attempt returns') from run;
select is(taken(), 'z {"x": "new"}', 'is what is published: R-412');

-- A report that changes nothing publishes nothing: repeated, of a stranger, of who has lost the lease, of who is cancelled.
\ir ../steps.psql
select tenure.define_workflow('pair', '{"nodes": [
    {"name": "a", "provides": ["x"], "policy": [{"retry": {"attempts": 9, "delay": "0 s"}}]},
    {"name": "b", "policy": [{"retry": {"attempts": 1}}]}, {"name": "z", "requires": ["x"]}
]}');
create temporary table pair as select tenure.start('pair') as id;
create temporary table a as select at(id, 'a') as id from pair;
create function published()
returns bigint
language sql
as $$ select count(*) from tenure_private.published as p join pair on p.group_id = pair.id $$;
select taken();
select staged_old(id) from pair;
select is(report('sleep', id, 'w', 1), 'sleeping', 'Asleep, with something staged') from a;
select is(report('sleep', id, 'w', 1), 'sleeping', 'Told again') from a;
select is(published(), 0::bigint, 'it is not published: R-415');
select is(report(v.verb, a.id, v.owner, v.generation), 'stale', format('%s of %s: R-049', v.verb, v.owner))
from a
cross join (
    values ('complete', 'w', 1), ('complete_many', 'w', 1), ('skip', 'w', 1), ('fail', 'w', 1), ('release', 'w', 1),
    ('wait_signal', 'w', 1), ('complete', 'stranger', 77), ('complete_many', 'stranger', 1), ('skip', 'stranger', 77)
) as v (verb, owner, generation);
select is(published(), 0::bigint, 'publish nothing: R-415');
select set_clock('2 h');
select tenure.sweep();
select taken('next');
select is(tenure.stage(id, 'next', 2, 'x', '"draft"'), 'staged', 'The draft of who has the lease now') from a;
select is(report('complete', id, 'w', 1), 'stale', 'And the report of who had it') from a;
select is(report('skip', id, 'w', 1), 'stale', 'whatever it is') from a;
select is(published(), 0::bigint, 'does not publish it: R-415');
select is(failed(id, 'b'), 'discarded', 'A sibling fails') from pair;
select is(report('complete', id, 'next', 2), 'cancelled', 'Who is told that it was cancelled') from a;
select is(published(), 0::bigint, 'has published nothing: R-415');
select tenure.retry(id) from pair;
select taken('next');
select is(tenure.complete(id, 'next', 3, '"done"'), 'completed', 'So that it can, once reopened') from a;
select is(taken('next'), 'z {"x": "done"}', 'publish what it has done: R-412');

select * from finish();
rollback;
