begin;
select plan(14);
\ir ../session.psql
\ir ../steps.psql

-- Ends every attempt in the same way until the step is discarded, and tells how many there were; NULL: too many.
create function starts(p_step_id bigint, p_end text)
returns int
language plpgsql
as $$
declare
    v_generation bigint;
    v_started_at timestamptz;
    v_scheduled_at timestamptz;
    v_state text;
begin
    for i in 1 .. 10 loop
        perform take('w', '1 h');
        select s.lease_generation, s.started_at into strict v_generation, v_started_at
        from tenure.step_status as s
        where s.step_id = p_step_id and s.state = 'running';
        if p_end = 'fail' then
            perform tenure.fail(p_step_id, 'w', v_generation, '"e"');
        else
            -- Every timeout is 10 s.
            perform set_clock(v_started_at + '10 s' - timestamptz '2030-01-01 00:00:00+00');
            perform tenure.sweep();
        end if;
        select s.state, s.scheduled_at into strict v_state, v_scheduled_at
        from tenure.step_status as s
        where s.step_id = p_step_id;
        if v_state = 'discarded' then
            return i;
        end if;
        perform set_clock(v_scheduled_at - timestamptz '2030-01-01 00:00:00+00');
    end loop;
    return null;
end
$$;
select tenure.define_step('t', timeout => '10 s', backoff => '{"kind": "fixed", "base": 5, "jitter": 0}');

select is(starts(tenure.enqueue('t'), 'fail'), 5, 'Five attempts where nobody says otherwise: R-076');
select is(starts(tenure.enqueue('t'), 'timeout'), 5, 'By timeouts as well: R-076, R-062');
select is(starts(tenure.enqueue('t', max_attempts => 1), 'fail'), 1, 'One is one: R-076');
select is(starts(tenure.enqueue('t', max_attempts => 1), 'timeout'), 1, 'By a timeout as well: R-062');
select is(starts(tenure.enqueue('t', max_attempts => 2), 'fail'), 2, 'Two are two');
select is(starts(tenure.enqueue('t', max_attempts => 3), 'timeout'), 3, 'Three are three');
select is(starts(tenure.enqueue('t', max_attempts => 0), 'fail'), 1, 'None means one: R-076');
select is(starts(tenure.enqueue('t', max_attempts => -1), 'fail'), 1, 'Less than none too: R-076');
select is(starts(tenure.enqueue('t', max_attempts => -2147483648), 'timeout'), 1, 'Much less too: R-076');

-- What consumes no attempt adds no start to the count of them: reclaims, releases, sleeps.
select tenure.enqueue('t', max_attempts => 1);
select take('w', '1 s');
select tenure.release(10, 'w', 1);
select take('w', '1 s');
select tenure.sleep(10, 'w', 2, '0');
select tenure.sweep();
select take('w', '1 s');
select set_clock('100 h');
select tenure.heartbeat(10, 'w', 3);
select is(shown(10) ->> 'state', 'running', 'The third execution of the only attempt');
select is(tenure.fail(10, 'w', 3, '"e"'), 'timed_out', 'It fails, too late');
select is(shown(10) ->> 'state', 'discarded', 'And is the last: R-003');
select is(shown(10) -> 'attempt', '1', 'The first attempt was the last: R-003');

-- From the definition.
select tenure.define_step('one', max_attempts => 0, backoff => '{"kind": "fixed", "base": 5, "jitter": 0}');
select is(starts(tenure.enqueue('one'), 'fail'), 1, 'A definition that says none means one: R-076');

select * from finish();
rollback;
