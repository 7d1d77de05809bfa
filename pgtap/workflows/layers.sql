begin;
select plan(45);
\ir ../session.psql
\ir ../steps.psql

-- Runs a workflow of one node with this policy and lets things happen to its step: '1.5 fail' is a report at 1.5 s.
-- Tells after each the verdict, the state and, where it is available, from when, in seconds.
create function play(p_policy jsonb, variadic p_events text[])
returns text
language plpgsql
as $$
declare
    v_name constant text = 'w' || txid_current() || '_' || md5(random()::text);
    v_step tenure_private.step;
    v_run_id bigint;
    v_told text := '';
    v_verb text;
    v_verdict text;
    v_event text;
begin
    perform set_clock('0');
    perform tenure.define_workflow(v_name, jsonb_build_object('nodes', jsonb_build_array(
        jsonb_build_object('name', v_name || '_node', 'policy', p_policy)
    )));
    v_run_id := tenure.start(v_name);
    foreach v_event in array p_events loop
        perform set_clock(split_part(v_event, ' ', 1)::interval);
        v_verb := split_part(v_event, ' ', 2);
        select s.* into v_step from tenure_private.step as s where s.parent_id = v_run_id;
        v_verdict := case v_verb
            when 'claim' then (
                select coalesce(max(extract(epoch from c.time_left)::float::text || 's'), count(*)::text)
                from tenure.claim(array['default'], 'w', 9, '1 h', array[v_name || '_node']) as c
            )
            when 'fail' then tenure.fail(v_step.step_id, 'w', v_step.lease_generation, '"e"')
            when 'later' then tenure.fail(v_step.step_id, 'w', v_step.lease_generation, '"e"', retry_after => '7 s')
            when 'permanent' then tenure.fail(v_step.step_id, 'w', v_step.lease_generation, '"e"', 'permanent')
            when 'uncertain' then tenure.fail(v_step.step_id, 'w', v_step.lease_generation, '"e"', 'uncertain')
            when 'complete' then tenure.complete(v_step.step_id, 'w', v_step.lease_generation)
            when 'release' then tenure.release(v_step.step_id, 'w', v_step.lease_generation)
            when 'sleep' then tenure.sleep(v_step.step_id, 'w', v_step.lease_generation, '1 h')
            when 'beat' then (tenure.heartbeat(v_step.step_id, 'w', v_step.lease_generation)).verdict
            when 'retry' then tenure.retry(v_step.step_id)
            when 'pause' then tenure.pause(v_run_id)::text
            when 'resume' then tenure.resume(v_run_id)::text
            when 'sweep' then (
                select concat_ws(' ', nullif(r.timed_out, 0)::text || ' timed_out', nullif(r.discarded, 0)::text || ' discarded')
                from tenure.sweep() as r
            )
        end;
        select s.* into v_step from tenure_private.step as s where s.parent_id = v_run_id;
        v_told := v_told || format(
            '%s %s%s; ', v_verdict, v_step.state,
            case v_step.state
                when 'available' then '@' || extract(epoch from v_step.scheduled_at - timestamptz '2030-01-01 00:00:00+00')::float
                when 'discarded' then ' by ' || v_step.error_kind
            end
        );
    end loop;
    perform tenure.cancel(v_run_id);
    return rtrim(v_told, '; ');
end
$$;

-- The order of the layers.
select is(play(p.policy::jsonb, variadic p.events), p.told, p.policy || ': ' || p.rules)
from (
    values
    (
        '[{"timeout": 2}, {"retry": {"attempts": 3, "delay": 0.5}}]',
        '{0 claim, 0.5 fail, 1 claim, 1.25 fail, 1.75 claim, 1.875 fail}'::text[],
        '2s running; retrying available@1; 1s running; retrying available@1.75; 0.25s running;'
        ' discarded discarded by retryable',
        'three attempts share two seconds: R-481'
    ),
    (
        '[{"timeout": 2}, {"retry": {"attempts": 3, "delay": 0.5}}]',
        '{0 claim, 1.75 fail, 2 claim, 2 sweep}',
        '2s running; retrying available@2.25; 0 available@2.25; 1 timed_out 1 discarded discarded by timeout',
        'the delay counts: R-481, R-482'
    ),
    (
        '[{"timeout": 2}, {"retry": {"attempts": 3}}]', '{1.5 claim, 2 complete}',
        '0.5s running; timed_out discarded by timeout', 'so does waiting for a worker: R-484'
    ),
    (
        '[{"timeout": 2}, {"retry": {"attempts": 3}}]', '{1.5 claim, 1.999999 complete}',
        '0.5s running; completed completed', 'up to the last instant: R-481'
    ),
    (
        '[{"retry": {"attempts": 3, "delay": 0.5}}, {"timeout": 2}]',
        '{5 claim, 7 fail, 9 claim, 11 sweep, 11.5 claim, 13.5 complete}',
        '2s running; timed_out available@7.5; 2s running; 1 timed_out available@11.5; 2s running;'
        ' timed_out discarded by timeout',
        'two seconds each, from the claim: R-481, R-484'
    ),
    (
        '[{"retry": {"attempts": 2}}, {"retry": {"attempts": 2, "delay": 1}}]',
        '{0 claim, 0 fail, 1 claim, 1 fail, 1 claim, 1 fail, 2 claim, 2 fail}',
        '1 running; retrying available@1; 1 running; retrying available@1; 1 running; retrying available@2;'
        ' 1 running; discarded discarded by retryable',
        'the outer one starts the inner one anew: R-483'
    ),
    (
        '[{"retry": {"attempts": 2, "delay": 1}}, {"timeout": 2}, {"retry": {"attempts": 9}}]',
        '{0 claim, 1.5 fail, 1.5 claim, 2 fail, 3 claim, 4.75 fail, 4.75 claim, 5 sweep}',
        '2s running; retrying available@1.5; 0.5s running; timed_out available@3; 2s running; retrying available@4.75;'
        ' 0.25s running; 1 timed_out 1 discarded discarded by timeout',
        'a timeout between two retries stops the inner one,'
        ' and counts from where the outer one''s attempt is due: R-482, R-484'
    ),
    (
        '[{"retry": {"attempts": 2, "delay": 1}}, {"timeout": 2}, {"timeout": 1}]',
        '{0 claim, 1 sweep, 2 sweep, 2.5 claim, 3 fail}',
        '1s running; 1 timed_out available@2;  available@2; 0.5s running; timed_out discarded by timeout',
        'two timeouts inside a retry: both count from when it is due: R-484'
    ),
    (
        '[{"timeout": 3}, {"timeout": 2}]', '{1 claim, 2 fail}', '1s running; timed_out discarded by timeout',
        'the nearer one; without a retry there is one attempt: R-485, R-486'
    ),
    ('[{"timeout": 3}]', '{1 claim, 2 fail}', '2s running; discarded discarded by retryable', 'the same: R-486'),
    (
        '[{"retry": {"attempts": 0}}, {"retry": {"attempts": -5}}]', '{0 claim, 0 fail}',
        '1 running; discarded discarded by retryable', 'no attempts are one: R-485'
    ),
    (
        '[{"timeout": 0}, {"retry": {"attempts": 3}}]', '{0 claim, 0 sweep}',
        '0 available@0; 1 timed_out 1 discarded discarded by timeout', 'a timeout of 0 has passed: R-485, R-490'
    ),
    (
        '[{"retry": {"attempts": 2, "delay": 3}}, {"timeout": 0}, {"retry": {"attempts": 3}}]',
        '{0 sweep, 3 claim, 3 sweep}',
        '1 timed_out available@3; 0 available@3; 1 timed_out 1 discarded discarded by timeout',
        'inside a retry at each of its attempts: R-485'
    ),
    (
        '[{"retry": {"attempts": 2, "delay": 1}}, {"timeout": 0}]', '{0 claim, 0 fail, 1 claim, 1 sweep}',
        '0s running; timed_out available@1; 0s running; 1 timed_out 1 discarded discarded by timeout',
        'from the claim, where it counts from there: R-484, R-485'
    ),
    (
        '[{"retry": {"attempts": 2}}, {"timeout": 10}, {"retry": {"attempts": 2}}]',
        '{0 claim, 1 permanent}', '10s running; discarded discarded by permanent', 'permanent ends all layers: R-488'
    ),
    (
        '[{"retry": {"attempts": 2}}, {"timeout": 10}, {"retry": {"attempts": 2}}]',
        '{0 claim, 1 uncertain}', '10s running; discarded discarded by uncertain', 'so does uncertain: R-488'
    ),
    (
        '[{"retry": {"attempts": 2}}, {"timeout": 1}, {"retry": {"attempts": 2}}]',
        '{0 claim, 1 permanent}', '1s running; discarded discarded by permanent',
        'permanent stands after a layer''s limit, as after any timeout: R-488'
    ),
    (
        '[{"timeout": 100}, {"retry": {"attempts": 2, "delay": 1}}]', '{0 claim, 1 later, 8 claim}',
        '100s running; retrying available@8; 92s running', 'a handler''s own delay is taken instead: R-495'
    ),
    (
        '[{"timeout": 100}, {"retry": {"attempts": 2}}]', '{0 claim, 1 release, 1 claim, 1 fail, 1 claim, 1 fail}',
        '100s running; released available@0; 99s running; retrying available@1; 99s running;'
        ' discarded discarded by retryable',
        'a release is no attempt'
    ),
    (
        '[{"retry": {"attempts": 2}}, {"timeout": 10}, {"retry": {"attempts": 2}}]',
        '{0 claim, 1 sleep, 10 sweep, 11 claim}',
        '10s running; sleeping waiting_timer; 1 timed_out available@10; 9s running',
        'one that sleeps begins anew: R-491'
    ),
    (
        '[{"timeout": 2}, {"retry": {"attempts": 2}}]', '{0 claim, 0 beat, 2 beat, 3 sweep}',
        '2s running; renewed running; timed_out running; 1 timed_out 1 discarded discarded by timeout',
        'a heartbeat tells of it: R-489'
    ),
    (
        '[{"timeout": 2}, {"retry": {"attempts": 2}}]', '{1 pause, 9 sweep, 9 resume, 9.5 claim, 10 sweep}',
        '2 paused;  paused; 2 available@0; 0.5s running; 1 timed_out 1 discarded discarded by timeout',
        'while the run is paused the clocks stand still: R-493'
    ),
    (
        '[{"timeout": 2}, {"retry": {"attempts": 2}}]', '{1 pause, 9 resume, 9.5 claim, 9.5 fail, 9.5 claim, 10 fail}',
        '2 paused; 2 available@0; 0.5s running; retrying available@9.5; 0.5s running; timed_out discarded by timeout',
        'for the next attempts too: R-493'
    ),
    (
        '[{"timeout": 2}, {"retry": {"attempts": 2}}]',
        '{0 claim, 0 fail, 1 claim, 1 fail, 9 retry, 10 claim, 10 fail}',
        '2s running; retrying available@0; 1s running; discarded discarded by retryable;'
        ' available available@9; 1s running;'
        ' discarded discarded by retryable',
        'an operator''s retry gives one more attempt, and enters the layers anew: R-492'
    ),
    (
        '[{"retry": {"attempts": 2}}, {"timeout": 1}, {"retry": {"attempts": 2}}]',
        '{0 claim, 0 permanent, 9 retry, 9 claim, 9 fail, 9 claim, 9 fail, 9 claim, 9 fail}',
        '1s running; discarded discarded by permanent; available available@9; 1s running;'
        ' retrying available@9; 1s running;'
        ' retrying available@9; 1s running; discarded discarded by retryable',
        'what was left of them too: R-492'
    )
) as p (policy, events, told, rules);

-- Which layers: what wraps each step of a run, outermost first; columns first where they say it all.
create function wrapped(p_run_id bigint)
returns text
language sql
as $$
select string_agg(
    coalesce(s.node, s.name) || coalesce('[' || s.position || ']', '') || ':' || coalesce(l.layers, concat(
        ' deadline ' || extract(epoch from s.deadline)::float, ' retry ' || s.max_attempts,
        ' timeout ' || extract(epoch from s.timeout)::float
    )),
    ', ' order by s.step_id
)
from tenure.step_status as s
left join lateral (
    select string_agg(concat(
        ' ', l.kind, ' ', l.attempts, extract(epoch from l.span)::float, case when l.span is not null and l.entered_at is null then '!' end
    ), '' order by l.position) as layers
    from tenure_private.layer as l
    where l.step_id = s.step_id
) as l on true
where s.run_id = p_run_id and s.parent_id is not null
$$;

select set_clock('0');
select tenure.define_step('slow', timeout => '7 s', deadline => '70 s', max_attempts => 4);
select tenure.define_step('quick', timeout => '6 s');
select tenure.define_step('waits', start_within => '5 s', backoff => '{"base": 9}');
select tenure.define_workflow('plain', '{"nodes": [
    {"name": "bare"}, {"name": "slow"}, {"name": "quick"}, {"name": "waits"},
    {"name": "own", "step": "slow", "policy": [{"retry": {"attempts": 2}}]}
]}');
select is(
    wrapped(tenure.start('plain')),
    'bare: retry 5, slow: deadline 70 retry 4 timeout 7, quick: retry 1 timeout 6, waits: retry 5, own: retry 2',
    'Without a policy of its own a node has what define_step was given; where any is in force,'
    ' the defaults are not: R-486'
);
select tenure.define_workflow('inner', '{"policy": [{"timeout": 30}], "nodes": [
    {"name": "deep", "policy": [{"retry": {"attempts": 2}}]}, {"name": "slow"}, {"name": "cut", "step": "slow", "inherit": false}
]}');
select tenure.define_workflow('outer', '{"policy": [{"retry": {"attempts": 3}}], "nodes": [
    {"name": "leaf"},
    {"name": "mount", "workflow": "inner", "policy": [{"timeout": 99}]},
    {"name": "alone", "workflow": "inner", "inherit": false, "policy": [{"timeout": 98}, {"retry": {"attempts": 2}}]}
]}');
select is(
    wrapped(tenure.start('outer')),
    'leaf: retry 3, mount: retry 3 timeout 99, alone: retry 3 timeout 98 retry 2,'
    ' deep: retry 3 timeout 30 retry 2, slow: retry 3 timeout 30 deadline 70 retry 4 timeout 7!, cut:'
    ' deadline 70 retry 4 timeout 7,'
    ' deep: timeout 30 retry 2, slow: timeout 30 deadline 70 retry 4 timeout 7!, cut: deadline 70 retry 4 timeout 7',
    'Those of the workflows around it, root first, wrap a node, a mount and the nodes inside it;'
    ' inherit false cuts them: R-487'
);
select tenure.define_workflow('mapped', '{"policy": [{"timeout": 50}], "nodes": [
    {"name": "each", "map": "items", "policy": [{"retry": {"attempts": 2}}]},
    {"name": "mounts", "map": "objects", "workflow": "inner", "policy": [{"timeout": 40}]}
]}');
select is(
    wrapped(tenure.start('mapped', '{"items": [1, 2], "objects": [{}]}')),
    'each: retry 1, mounts: retry 1, each[0]: timeout 50 retry 2, each[1]: timeout 50 retry 2,'
    ' mounts[0]: timeout 50 timeout 40 retry 1, deep: timeout 50 timeout 30 retry 2,'
    ' slow: timeout 50 timeout 30 deadline 70 retry 4 timeout 7!, cut: deadline 70 retry 4 timeout 7',
    'A map''s policy wraps each of its elements: R-487'
);
select is(
    (select max(s.max_attempts) from tenure.step_status as s where s.name = 'slow'), 12,
    'max_attempts tells how many attempts there may be at most: R-499'
);
select is_empty(
    $$
    select from tenure_private.layer as l
    join tenure.step_status as s on s.step_id = l.step_id
    where s.node in ('bare', 'leaf', 'each', 'cut') and s.position is null
    $$,
    'What the columns of a step can say, needs nothing beside it: R-497'
);

-- A deadline is its own kind, also as a layer; the error tells which layer it was.
select tenure.cancel(r.run_id) from tenure.run_status as r where r.finished_at is null;
select tenure.define_step('late', deadline => '3 s');
select
    tenure.define_workflow(
        'around', '{"policy": [{"retry": {"attempts": 2, "delay": 1}}], "nodes": [{"name": "late"}]}'
    );
select tenure.start('around');
create function late()
returns text
language sql
as $$
select format('%s %s %s', s.state, s.attempt, s.error) from tenure.step_status as s where s.name = 'late'
$$;
select set_clock('3 s');
select is(
    swept(), '0 reclaimed, 1 timed out, 0 discarded, 0 woken', 'A deadline inside a retry ends an attempt: R-489'
);
select is(
    late(),
    'available 2 {"kind": "deadline", "step": "late", "type": "LimitPassed", "layer": "deadline", "limit": 3.000000, '
    '"message": "step late passed its deadline", "position": 2}',
    'It tells step, limit and layer: R-489'
);
select set_clock('7 s');
select is(swept(), '0 reclaimed, 0 timed out, 1 discarded, 0 woken', 'The last one ends the step, and its run: R-489');

-- What waits for keys.
select tenure.define_workflow('keys', '{"nodes": [
    {"name": "first", "provides": ["k"]},
    {"name": "second", "requires": ["k"], "policy": [{"retry": {"attempts": 2, "delay": 5}}, {"timeout": 2}, {"retry": {"attempts": 2}}]}
]}');
create temporary table run_of as select tenure.start('keys') as run_id;
create function second()
returns text
language sql
as $$
select format(
    '%s %s %s %s', s.state, s.attempt, s.scheduled_at - timestamptz '2030-01-01 00:00:00+00',
    s.deadline_at - timestamptz '2030-01-01 00:00:00+00'
)
from tenure.step_status as s join run_of as r on r.run_id = s.run_id where s.name = 'second'
$$;
select is(second(), 'pending 1 00:00:07 00:00:09', 'The wait for keys counts: R-484');
select set_clock('9 s');
select is(swept(), '0 reclaimed, 1 timed out, 0 discarded, 0 woken', 'The sweep ends the attempt: R-491');
select is(second(), 'pending 2 00:00:14 00:00:16', 'It waits on, and its next attempt has its own two seconds: R-491');
select is(take(), 1::bigint, 'The first runs');
select set_clock('10 s');
select tenure.complete(s.step_id, 'w', 1)
from tenure.step_status as s
join run_of as r on r.run_id = s.run_id
where s.name = 'first';
select is(second(), 'available 2 00:00:14 00:00:16', 'With its key it is due after the delay: R-491');

-- A body that is waited for.
select tenure.cancel(r.run_id) from tenure.run_status as r where r.finished_at is null;
select tenure.define_step('careful', on_timeout => 'wait');
select tenure.define_workflow('wait', '{"nodes": [
    {"name": "careful", "policy": [{"retry": {"attempts": 2, "delay": 1}}, {"timeout": 5}, {"retry": {"attempts": 2}}, {"timeout": 60}]}
]}');
select set_clock('100 s');
select tenure.start('wait');
create temporary table careful as
select max(s.step_id) as step_id
from tenure.step_status as s
where s.name = 'careful';
select is((select count(*) from tenure.claim(array['default'], 'w', 9, '20 s', '{careful}')), 1::bigint, 'It runs');
select set_clock('105 s');
select is(swept(), '0 reclaimed, 0 timed out, 0 discarded, 0 woken', 'Past the limit of a layer it runs on: R-494');
select
    is(
        (select (tenure.heartbeat(c.step_id, 'w', 1)).verdict from careful as c),
        'timed_out',
        'Its worker is told: R-494'
    );
select is(
    (select s.lease_expiry from tenure.step_status as s join careful as c on c.step_id = s.step_id),
    '2030-01-01 00:02:05+00',
    'And keeps the lease: R-494'
);
select is((tenure.sweep()).next_due_in, interval '15 s', 'The sweep has nothing to do before its end: R-494');
select
    is(
        (select tenure.complete(c.step_id, 'w', 1) from careful as c),
        'timed_out',
        'Its report takes the timeout path: R-494'
    );
select is(
    (
        select format('%s %s %s %s', s.state, s.attempt, s.timeout, s.deadline_at)
        from tenure.step_status as s join careful as c on c.step_id = s.step_id
    ),
    'available 2 00:01:00 2030-01-01 00:01:51+00', 'And the next attempt has all its limits again: R-494, R-483'
);

select * from finish();
rollback;
