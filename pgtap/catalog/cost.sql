begin;
select plan(9);
\ir ../session.psql

-- How many buffers a call touches: they count the work, and not how fast the machine is.
create function buffers(p_call text)
returns bigint
language plpgsql
as $$
declare
    v_plan json;
begin
    -- Once before, so that catalogue look-ups and plans are there.
    begin
        execute p_call;
        raise exception using errcode = 'UNDO0';
    exception when sqlstate 'UNDO0' then
        null;
    end;
    execute 'explain (analyze, buffers, format json) ' || p_call into strict v_plan;
    return (v_plan -> 0 -> 'Plan' ->> 'Shared Hit Blocks')::bigint
        + (v_plan -> 0 -> 'Plan' ->> 'Shared Read Blocks')::bigint;
end
$$;

-- Beside 20,000 finished, 20,000 future and 20,000 due steps of another name there is one that is due.
create function enqueued(p_policy jsonb, p_count int)
returns bigint
language sql
as $$
select count(*)
from tenure.enqueue_many((select jsonb_agg(p_policy) from generate_series(1, p_count) as g)) as e
$$;
-- Written as ended, so that no index holds what was available a moment ago.
create function finished(p_count int)
returns void
language sql
as $$
insert into tenure_private.step
select r.*
from tenure_private.step as s
cross join generate_series(100001, 100000 + p_count) as g
cross join jsonb_populate_record(
    s, jsonb_build_object(
        'step_id', g, 'root_id', g, 'state', 'completed', 'alarm_at', null, 'finished_at', s.created_at
    )
) as r
where s.step_id = 1
$$;
select enqueued('{"name": "one", "delay": "1 h"}', 20000);
select enqueued('{"name": "other", "timeout": "1 h"}', 20000);
select tenure.enqueue('one');
select finished(20000);
select cmp_ok(
    buffers($$select * from tenure.claim('{default}', 'w', 100, '30 s', '{one}')$$), '<', 200::bigint,
    'claim costs nothing for steps that are finished, not due or of other names: R-166'
);
select is(
    (select s.state from tenure.step_status as s where s.step_id = 40001), 'running', 'It found the one that was due'
);
select cmp_ok(
    buffers($$select * from tenure.claim('{default}', 'w', 100, '30 s', '{one}')$$), '<', 200::bigint,
    'Nor when nothing is due: R-166'
);
select cmp_ok(
    buffers($$select * from tenure.claim('{default}', 'w', 1, '30 s')$$), '<', 200::bigint, 'Nor for all names: R-166'
);
select cmp_ok(buffers('select * from tenure.sweep()'), '<', 500::bigint, 'A sweep does not scan: R-167');

select set_clock('31 s');
select cmp_ok(buffers('select * from tenure.sweep()'), '<', 500::bigint, 'Nor when it has two leases to end: R-167');
select is(
    (select count(*) from tenure.step_status as s where s.reclaims = 1), 2::bigint, 'It found them'
);
select cmp_ok(
    buffers('select tenure.cancel(40001)') + buffers('select tenure.status(40001)'), '<', 200::bigint,
    'Single calls go by the key'
);
select cmp_ok(
    buffers($$select tenure.enqueue('one', idempotency_key => 'k')$$), '<', 200::bigint, 'An enqueue too'
);

select * from finish();
rollback;
