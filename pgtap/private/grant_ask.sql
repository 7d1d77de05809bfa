begin;
select plan(8);
\ir ../session.psql
\ir ../steps.psql

create function granted(p_verb text, p_kind text default null)
returns jsonb
language plpgsql
as $$
declare
    v_ask tenure_private.ask := tenure_private.ask_for(p_verb);
    v_outcome tenure_private.outcome;
begin
    v_ask.kind := p_kind;
    v_ask.error := '{"type": "E"}';
    v_ask.retry_after := '7 s';
    v_ask.reason := 'why';
    v_ask.pause := '10 s';
    v_ask.signal := 'go';
    select o.* into v_outcome
    from tenure_private.step as s
    cross join lateral tenure_private.grant_ask(s, tenure_private.clock(), v_ask) as o;
    return jsonb_strip_nulls(to_jsonb(v_outcome));
end
$$;

select tenure.enqueue('job', max_attempts => 2, timeout => '1 m');
select take();
select set_clock('1 s');
select is(granted('skip'), '{"verdict": "skipped", "state": "skipped", "reason": "why"}', 'skip: R-055');
select is(
    granted('release'),
    '{"verdict": "released", "state": "available", "scheduled_at": "2030-01-01T00:00:00+00:00", "releases": 1}',
    'release: R-072'
);
select is(
    granted('sleep'), '{"verdict": "sleeping", "state": "waiting_timer", "due_at": "2030-01-01T00:00:11+00:00"}',
    'sleep: R-073'
);
select is(
    granted('wait_signal'), '{"verdict": "waiting", "state": "waiting_signal", "due_at": "2030-01-01T00:00:11+00:00"}',
    'wait_signal: R-074'
);
select is(
    granted('fail', 'retryable'),
    '{"verdict": "retrying", "state": "available", "attempt": 2, "scheduled_at": "2030-01-01T00:00:08+00:00",
      "error": {"type": "E"}, "error_kind": "retryable", "ends_attempt": "retryable"}',
    'fail, retryable: R-059, R-066'
);
select is(
    granted('fail', 'timeout') - 'scheduled_at',
    '{"verdict": "timed_out", "state": "available", "attempt": 2, "error_kind": "timeout", "ends_attempt": "timeout",
      "error": {"type": "LimitPassed", "kind": "timeout", "message": "step job passed its timeout", "step": "job",
                "limit": 60, "layer": "timeout", "cause": {"type": "E"}}}',
    'fail, timeout: before the limit as after it: R-081'
);
select throws_ok($$ select granted('dance') $$, '20000', null, 'There is no other');
update tenure_private.step set releases = 40000;
select is(granted('release') ->> 'releases', '40001', '40,000 releases are as good as one: R-077');

select * from finish();
rollback;
