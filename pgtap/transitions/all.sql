begin;
select plan(24);
\ir ../session.psql
\ir ../steps.psql

-- The list of transitions, as data: what a step may go from and to, and by what alone, where it says so.
create table legal (old_state text, new_state text, by_alone text);
insert into legal (old_state, new_state) values
('pending', 'available'), ('pending', 'skipped'), ('pending', 'waiting_steps'), ('pending', 'completed'),
('available', 'running'), ('running', 'completed'), ('running', 'skipped'), ('running', 'available'),
('running', 'waiting_timer'), ('running', 'waiting_signal'), ('waiting_timer', 'available'),
('waiting_signal', 'available'), ('waiting_steps', 'completed'), ('waiting_steps', 'skipped'),
('waiting_steps', 'waiting_timer'), ('waiting_timer', 'waiting_steps');
-- Any state that has not ended may be cancelled, and any but paused discarded.
insert into legal (old_state, new_state) values
('pending', 'cancelled'), ('available', 'cancelled'), ('running', 'cancelled'), ('waiting_timer', 'cancelled'),
('waiting_signal', 'cancelled'), ('waiting_steps', 'cancelled'), ('paused', 'cancelled'), ('pending', 'discarded'),
('available', 'discarded'), ('running', 'discarded'), ('waiting_timer', 'discarded'),
('waiting_signal', 'discarded'), ('waiting_steps', 'discarded');
-- Any of them but running may be paused and goes back; running becomes paused by what its verdict names.
insert into legal (old_state, new_state, by_alone) values
('pending', 'paused', 'pause'), ('available', 'paused', 'pause'), ('waiting_timer', 'paused', 'pause'),
('waiting_signal', 'paused', 'pause'), ('waiting_steps', 'paused', 'pause'), ('paused', 'pending', 'resume'),
('paused', 'available', 'resume'), ('paused', 'waiting_timer', 'resume'), ('paused', 'waiting_signal', 'resume'),
('paused', 'waiting_steps', 'resume'), ('running', 'paused', null);
insert into legal (old_state, new_state, by_alone) values
('discarded', 'available', 'retry'), ('discarded', 'waiting_steps', 'retry'), ('cancelled', 'pending', 'retry'),
('cancelled', 'available', 'retry'), ('cancelled', 'waiting_steps', 'retry'),
-- What was discarded before its keys had come waits for them again.
('discarded', 'pending', 'retry');

-- Every change of state that happens, whoever makes it.
create table seen (
    operation text, old_state text, new_state text, kept_state text, alarm boolean, finished boolean, lease boolean
);
create function note_change()
returns trigger
language plpgsql security definer
as $$
begin
    if current_setting('test.operation') <> '' then
        insert into public.seen
        values (
            current_setting('test.operation'), old.state, new.state, coalesce(old.paused_state, new.paused_state),
            new.alarm_at is not null, new.finished_at is not null, new.lease_owner is not null
        );
    end if;
    return null;
end
$$;
create trigger note_change after update on tenure_private.step
for each row when (old.state <> new.state) execute function note_change();

-- Puts a new step into a state. What only workflows will make is set by hand.
create function set_up(p_state text)
returns bigint
language plpgsql
as $$
declare
    v_id bigint;
begin
    if p_state like 'paused %' then
        v_id := set_up(substr(p_state, 8));
        perform tenure.pause(v_id);
        return v_id;
    end if;
    v_id := tenure.enqueue('t', timeout => '10 m', deadline => '30 m', start_within => '20 m', max_attempts => 3);
    if p_state in ('pending', 'waiting_steps') then
        update tenure_private.step set state = p_state, start_by = null, alarm_at = deadline_at where step_id = v_id;
    elsif p_state <> 'available' then
        perform take('w', '2 m');
        case p_state
            when 'running' then null;
            when 'running, run paused' then perform tenure.pause(v_id);
            when 'waiting_timer' then perform tenure.sleep(v_id, 'w', 1, '5 m');
            when 'waiting_signal' then perform tenure.wait_signal(v_id, 'w', 1, 'go', '5 m');
            when 'completed' then perform tenure.complete(v_id, 'w', 1);
            when 'skipped' then perform tenure.skip(v_id, 'w', 1);
            when 'discarded' then perform tenure.fail(v_id, 'w', 1, '"e"', kind => 'permanent');
            when 'cancelled' then perform tenure.cancel(v_id);
        end case;
    end if;
    return v_id;
end
$$;

-- One operation; time is what most of them need to be of any consequence.
create function operate(p_operation text, p_id bigint, p_now interval)
returns void
language plpgsql
as $$
begin
    case p_operation
        when 'claim' then perform take('v', '2 m');
        when 'signal' then perform tenure.signal(p_id, 'go');
        when 'cancel' then perform tenure.cancel(p_id);
        when 'retry' then perform tenure.retry(p_id);
        when 'pause' then perform tenure.pause(p_id);
        when 'resume' then perform tenure.resume(p_id);
        when 'sweep' then perform tenure.sweep();
        when 'sweep, lease over' then
            perform set_clock(p_now + '2 m 1 s');
            perform tenure.sweep();
        when 'sweep, timer due' then
            perform set_clock(p_now + '5 m');
            perform tenure.sweep();
        when 'sweep, timeout' then
            perform set_clock(p_now + '10 m');
            perform tenure.sweep();
        when 'sweep, start_within' then
            perform set_clock(p_now + '20 m');
            perform tenure.sweep();
        when 'sweep, deadline' then
            perform set_clock(p_now + '30 m');
            perform tenure.sweep();
        when 'complete past deadline' then
            perform set_clock(p_now + '30 m');
            perform report('complete', p_id, 'w', 1);
        when 'purge' then perform tenure.purge('0');
        else perform report(p_operation, p_id, 'w', 1);
    end case;
exception when sqlstate 'TN010' then
    null;
end
$$;

-- Tries each operation on a step in the state, and tells what became of it, in the order of operations().
create function operations()
returns text[]
language sql
as $$
select array[
    'claim', 'heartbeat', 'heartbeat_many', 'checkpoint', 'complete', 'complete_many', 'skip', 'fail', 'fail permanent',
    'fail uncertain', 'fail timeout', 'release', 'sleep', 'wait_signal', 'signal', 'cancel', 'retry', 'pause', 'resume',
    'sweep', 'sweep, lease over', 'sweep, timer due', 'sweep, timeout', 'sweep, start_within', 'sweep, deadline',
    'complete past deadline', 'purge'
]
$$;
create sequence hours;
create function tried(p_state text)
returns text[]
language plpgsql
as $$
declare
    v_operation text;
    v_now interval;
    v_id bigint;
    v_moved text[];
begin
    foreach v_operation in array operations() loop
        perform set_config('test.operation', '', true);
        v_now := nextval('hours') * interval '1 hour';
        perform set_clock(v_now);
        v_id := set_up(p_state);
        perform set_config('test.operation', v_operation, true);
        perform operate(v_operation, v_id, v_now);
        perform set_config('test.operation', '', true);
        select v_moved || case
            when s.state is null then format('%s: gone', v_operation)
            when s.state <> split_part(split_part(p_state, ',', 1), ' ', 1) then format('%s: %s', v_operation, s.state)
        end
        into strict v_moved
        from (values (1)) as one (n)
        left join tenure_private.step as s on s.step_id = v_id;
        delete from tenure_private.step;
        delete from tenure_private.wait;
        delete from tenure_private.signal;
        delete from tenure_private.attempt;
        delete from tenure_private.checkpoint;
    end loop;
    return array_remove(v_moved, null);
end
$$;
select set_config('test.operation', '', true);

-- What moves a step in each state; everything that is not named leaves it where it is.
select is(
    tried('pending'), array['cancel: cancelled', 'pause: paused', 'sweep, deadline: discarded'],
    'What moves a step that is pending: R-007'
);
select is(
    tried('available'),
    array[
        'claim: running', 'cancel: cancelled', 'pause: paused', 'sweep, start_within: discarded',
        'sweep, deadline: discarded'
    ],
    'What moves a step that is available: R-007'
);
select is(
    tried('running'),
    array[
        'complete: completed', 'complete_many: completed', 'skip: skipped', 'fail: available',
        'fail permanent: discarded', 'fail uncertain: discarded', 'fail timeout: available', 'release: available',
        'sleep: waiting_timer', 'wait_signal: waiting_signal', 'cancel: cancelled', 'sweep, lease over: available',
        'sweep, timer due: available', 'sweep, timeout: available', 'sweep, start_within: available',
        'sweep, deadline: discarded', 'complete past deadline: discarded'
    ],
    'What moves a step that is running: R-007'
);
select is(
    tried('running, run paused'),
    array[
        'complete: completed', 'complete_many: completed', 'skip: skipped', 'fail: paused',
        'fail permanent: discarded', 'fail uncertain: discarded', 'fail timeout: paused', 'release: paused',
        'sleep: paused', 'wait_signal: paused', 'cancel: cancelled', 'sweep, lease over: paused',
        'sweep, timer due: paused', 'sweep, timeout: paused', 'sweep, start_within: paused',
        'sweep, deadline: discarded', 'complete past deadline: discarded'
    ],
    'What moves a step that is running, run paused: R-007'
);
select is(
    tried('waiting_timer'),
    array[
        'cancel: cancelled', 'pause: paused', 'sweep, timer due: available', 'sweep, timeout: available',
        'sweep, start_within: available', 'sweep, deadline: discarded'
    ],
    'What moves a step that is waiting_timer: R-007'
);
select is(
    tried('waiting_signal'),
    array[
        'signal: available', 'cancel: cancelled', 'pause: paused', 'sweep, timer due: available',
        'sweep, timeout: available', 'sweep, start_within: available', 'sweep, deadline: discarded'
    ],
    'What moves a step that is waiting_signal: R-007'
);
select is(
    tried('waiting_steps'), array['cancel: cancelled', 'pause: paused', 'sweep, deadline: discarded'],
    'What moves a step that is waiting_steps: R-007'
);
select is(
    tried('paused pending'), array['cancel: cancelled', 'resume: pending'],
    'What moves a step that is paused pending: R-007'
);
select is(
    tried('paused available'), array['cancel: cancelled', 'resume: available'],
    'What moves a step that is paused available: R-007'
);
select is(
    tried('paused waiting_timer'), array['cancel: cancelled', 'resume: waiting_timer'],
    'What moves a step that is paused waiting_timer: R-007'
);
select is(
    tried('paused waiting_signal'), array['cancel: cancelled', 'resume: waiting_signal'],
    'What moves a step that is paused waiting_signal: R-007'
);
select is(
    tried('paused waiting_steps'), array['cancel: cancelled', 'resume: waiting_steps'],
    'What moves a step that is paused waiting_steps: R-007'
);
select is(
    tried('completed'), array['purge: gone'],
    'What moves a step that is completed: R-007'
);
select is(
    tried('skipped'), array['purge: gone'],
    'What moves a step that is skipped: R-007'
);
select is(
    tried('discarded'), array['retry: available', 'purge: gone'],
    'What moves a step that is discarded: R-007'
);
select is(
    tried('cancelled'), array[]::text[],
    'Nothing moves a cancelled step; its lease keeps it from purge: R-007, R-011, R-105, R-141'
);

-- What was still waiting for its keys, and a sibling that never began.
select tenure.define_workflow('late', '{"nodes": [
    {"name": "first", "provides": ["k"]}, {"name": "second", "requires": ["k"], "policy": [{"timeout": "5 s"}]}
]}');
create temporary table late as select tenure.start('late') as run_id;
select set_clock(nextval('hours') * interval '1 hour');
select tenure.sweep();
select set_config('test.operation', 'retry', true);
select is(tenure.retry(s.step_id), 'pending', 'retry of a node without its keys: R-007, R-443')
from late
join tenure.step_status as s on s.parent_id = late.run_id and s.node = 'second';
select set_config('test.operation', '', true);

-- All that was seen, against the list.
select is(
    (
        select string_agg(distinct format('%s -> %s by %s', s.old_state, s.new_state, s.operation), ', ')
        from seen as s
        left join legal as l on l.old_state = s.old_state and l.new_state = s.new_state
        where l.old_state is null or l.by_alone <> s.operation
    ),
    null, 'No transition but those of the list, and those of pause, resume and retry by them alone: R-007'
);
select set_eq(
    $$select format('%s -> %s', s.old_state, s.new_state) from seen as s$$,
    array[
        'available -> cancelled', 'available -> discarded', 'available -> paused', 'available -> running',
        'cancelled -> pending', 'discarded -> available', 'discarded -> pending', 'discarded -> waiting_steps',
        'paused -> available', 'paused -> cancelled', 'paused -> pending', 'paused -> waiting_signal',
        'paused -> waiting_steps', 'paused -> waiting_timer',
        'pending -> available', 'pending -> cancelled', 'pending -> discarded', 'pending -> paused',
        'running -> available', 'running -> cancelled', 'running -> completed', 'running -> discarded',
        'running -> paused', 'running -> skipped', 'running -> waiting_signal', 'running -> waiting_timer',
        'waiting_signal -> available', 'waiting_signal -> cancelled', 'waiting_signal -> discarded',
        'waiting_signal -> paused',
        'waiting_steps -> cancelled', 'waiting_steps -> discarded', 'waiting_steps -> paused',
        'waiting_timer -> available', 'waiting_timer -> cancelled', 'waiting_timer -> discarded',
        'waiting_timer -> paused'
    ],
    'Every one of the list that these can make: R-008'
);
select is(
    (
        select string_agg(distinct format('%s: %s kept as %s', s.operation, s.old_state, s.kept_state), ', ')
        from seen as s
        where
            s.operation in ('pause', 'resume')
            and s.kept_state is distinct from case s.operation when 'pause' then s.old_state else s.new_state end
    ),
    null, 'A paused step goes back to the same state: R-007, R-112'
);
select set_eq(
    $$select format('%s: %s', s.operation, s.kept_state)
    from seen as s
    where s.old_state = 'running' and s.new_state = 'paused'$$,
    array[
        'fail timeout: available', 'fail: available', 'release: available', 'sleep: waiting_timer',
        'sweep, lease over: available', 'sweep, start_within: available', 'sweep, timeout: available',
        'sweep, timer due: available', 'wait_signal: waiting_signal'
    ],
    'A running step becomes paused only in place of the state that its verdict names: R-007, R-113'
);
select is(
    (
        select string_agg(distinct format('%s: %s', s.operation, s.new_state), ', ')
        from seen as s
        where s.finished <> (s.new_state in ('completed', 'skipped', 'discarded', 'cancelled'))
    ),
    null, 'finished_at is set when a step ends, and only then: R-012'
);
select is(
    (
        select string_agg(distinct format('%s: %s', s.operation, s.new_state), ', ')
        from seen as s
        where s.alarm and s.new_state in ('paused', 'completed', 'skipped', 'discarded', 'cancelled')
    ),
    null, 'A step that has ended or is paused has no alarm: R-011, R-112'
);
select is(
    (
        select string_agg(distinct format('%s: %s', s.operation, s.new_state), ', ')
        from seen as s
        where s.lease and s.new_state not in ('running', 'discarded', 'cancelled')
    ),
    null, 'A lease is kept by none but running steps and those ended from outside: R-009, R-098'
);

select * from finish();
rollback;
