begin;
select plan(6);
\ir ../session.psql

-- One step's life by way of every function, and what was seen of it. With the worst of sessions it must read the same.
create function life()
returns setof text
language plpgsql security invoker
as $$
declare
    v_id bigint;
    v_other bigint;
    v_claimed tenure.claimed;
begin
    perform tenure.create_queue('q', timeout_default => '100 s', timeout_floor => '1 s', timeout_ceiling => '1 h');
    perform tenure.alter_queue('q', retention => '2 days');
    perform tenure.define_step('t', backoff => '{"kind": "fixed", "base": 10, "jitter": 0}', deadline => '1 day');
    v_id := tenure.enqueue('t', '{"a": [1, 2.50]}', queue => 'q', delay => '10 s', idempotency_key => 'k');
    perform tenure.enqueue_many(
        '[{"name": "t", "queue": "q", "delay": "30 s", "timeout": "90 s", "idempotency_key": "k2"},
          {"name": "t", "queue": "q", "idempotency_key": "k"}]'
    );
    perform tenure.worker_hello('w', array['q'], true);
    perform pg_catalog.set_config('test.clock', '2030-01-01 00:00:10+00', true);
    select c.* into v_claimed from tenure.claim(array['q'], 'w', 10, '30 s', array['t']) as c;
    return next extract(epoch from v_claimed.time_left)::text;
    return next extract(epoch from v_claimed.lease_expiry)::text;
    perform pg_catalog.set_config('test.clock', '2030-01-01 00:00:30+00', true);
    return next (tenure.heartbeat(v_id, 'w', 1, '{"p": 1}')).verdict;
    return next (select h.verdict from tenure.heartbeat_many(array[v_id], 'w', array[1]::bigint[]) as h);
    return next tenure.checkpoint(v_id, 'w', 1, 'c', '1')::text;
    return next tenure.sleep(v_id, 'w', 1, '5 s');
    perform pg_catalog.set_config('test.clock', '2030-01-01 00:00:35+00', true);
    return next (select r.woken from tenure.sweep() as r)::text;
    select count(c) into strict v_other from tenure.claim(array['q'], 'w', 10, '30 s') as c;
    return next v_other::text;
    return next tenure.wait_signal(v_id, 'w', 2, 's', '5 s');
    return next tenure.signal(v_id, 's', '"x"');
    perform tenure.claim(array['q'], 'w');
    return next tenure.fail(v_id, 'w', 3, '{"type": "E"}');
    perform pg_catalog.set_config('test.clock', '2030-01-01 00:00:45+00', true);
    perform tenure.claim(array['q'], 'w');
    return next tenure.release(v_id, 'w', 4);
    return next tenure.pause(v_id)::text;
    return next tenure.resume(v_id)::text;
    perform tenure.claim(array['q'], 'w');
    perform pg_catalog.set_config('test.clock', '2030-01-01 00:02:25+00', true);
    return next tenure.complete(v_id, 'w', 5);
    return next (select s.error from tenure.step_status as s where s.step_id = v_id)::text;
    return next (select extract(epoch from s.scheduled_at) from tenure.step_status as s where s.step_id = v_id)::text;
    perform pg_catalog.set_config('test.clock', '2030-01-01 00:02:35+00', true);
    perform tenure.claim(array['q'], 'w');
    return next tenure.skip(v_id, 'w', 6, 'r');
    return next tenure.cancel(v_id)::text;
    return next coalesce(tenure.result(v_id)::text, 'null');
    return next (tenure.status(v_id)).state;
    return next (select v.verdict from tenure.complete_many(array[v_id], 'w', array[6]::bigint[]) as v);
    return next (
        select tenure.fail(s.step_id, 'w', 1, null, kind => 'permanent') from tenure.step_status as s
        where s.step_id <> v_id
    );
    return next (select tenure.retry(s.step_id) from tenure.step_status as s where s.step_id <> v_id);
    perform tenure.pause_queue('q');
    perform tenure.resume_queue('q');
    perform tenure.worker_report('w', '{}');
    return next (select count(*) from tenure.attempt_log)::text;
    return next (select count(*) from tenure.lease_status)::text;
    return next (select w.report from tenure.worker_status as w)::text;
    return next (select extract(epoch from q.retention) from tenure.queue_status as q where q.timeout_floor is not null)::text;
    return next (select r.in_flight from tenure.run_status as r where r.run_id = v_id)::text;
    return next tenure.schema_version();
    return next tenure.purge('0')::text;
end
$$;
-- As a role that has every right but the owner's; undone, so that it can be lived again.
create role tenure_test_caller nologin;
grant tenure_client to tenure_test_caller;
grant tenure_worker to tenure_test_caller;
grant tenure_operator to tenure_test_caller;
grant tenure_reader to tenure_test_caller;
create function lived()
returns text[]
language plpgsql
as $$
declare
    v_told text[];
    v_line text;
begin
    perform pg_catalog.set_config('role', 'tenure_test_caller', true);
    begin
        perform pg_catalog.set_config('test.clock', '2030-01-01 00:00:00+00', true);
        for v_line in select l.told from public.life() as l (told) loop
            v_told := v_told operator(pg_catalog.||) v_line;
        end loop;
        raise exception using errcode = 'UNDO0';
    exception when sqlstate 'UNDO0' then
        perform pg_catalog.set_config('role', 'none', true);
        return v_told;
    end;
end
$$;
create function as_ever()
returns text[]
language sql
as $$
select array[
    '100.000000', '1893456040.000000', 'renewed', 'renewed', '1', 'sleeping', '1', '2', 'waiting', 'delivered',
    'retrying', 'released', '1', '1', 'timed_out',
    '{"kind": "timeout", "step": "t", "type": "LimitPassed", "layer": "timeout", "limit": 100.000000,'
    ' "message": "step t passed its timeout"}',
    '1893456155.000000', 'skipped', '0', 'null', 'skipped', 'stale', 'discarded', 'available', '3', '0', '{}',
    '172800.000000', '0', (select i.version from tenure_private.installation as i), '7'
]
$$;

-- A schema before pg_catalog in which whatever the engine may call by a bare name raises.
create schema evil;
grant usage on schema evil to public;
create function evil.caught()
returns text
language plpgsql
as $$
begin
    raise exception 'the caller''s function was called';
end
$$;
create function evil.mixed(timestamptz, interval)
returns boolean
language sql
as $$ select evil.caught() is null $$;
do $$
declare
    v_name text;
    v_type text;
begin
    foreach v_name in array array[
        'now()', 'clock_timestamp()', 'transaction_timestamp()', 'random()', 'pg_current_xact_id()', 'md5(text)',
        'cardinality(anyarray)', 'unnest(anyarray)', 'octet_length(text)', 'length(text)', 'left(text, int)',
        'pg_column_size(jsonb)', 'jsonb_strip_nulls(jsonb)', 'jsonb_typeof(jsonb)', 'jsonb_array_elements(jsonb)',
        'pg_notify(text, text)', 'nextval(regclass)', 'isfinite(interval)', 'isfinite(timestamptz)',
        'split_part(text, text, int)', 'current_setting(text)', 'pg_try_advisory_xact_lock(int, int)',
        'generate_series(int, int)', 'format(text, variadic text[])', 'concat_ws(text, variadic text[])'
    ] loop
        execute format('create function evil.%s returns text language sql as ''select evil.caught()''', v_name);
    end loop;
    foreach v_type in array array['timestamptz', 'interval', 'text', 'int', 'numeric', 'jsonb'] loop
        foreach v_name in array array['=', '<>', '<', '<=', '>', '>=', '+', '-'] loop
            execute format(
                'create function evil.%s(%s, %s) returns boolean language sql as ''select evil.caught() is null''',
                quote_ident('op ' || v_name), v_type, v_type
            );
            execute format(
                'create operator evil.%s (function = evil.%s, leftarg = %s, rightarg = %s)', v_name,
                quote_ident('op ' || v_name), v_type, v_type
            );
        end loop;
    end loop;
    foreach v_name in array array['+', '-'] loop
        execute format(
            'create operator evil.%s (function = evil.mixed, leftarg = timestamptz, rightarg = interval)', v_name
        );
    end loop;
end
$$;
create function public.falls_for_it()
returns text
language plpgsql
as $$
begin
    return 1 = 2;
exception when raise_exception then
    return 'yes';
end
$$;
create table told (session text, lines text[]);

set local search_path to evil, pg_temp, pg_catalog, public;
insert into public.told values ('evil', public.lived()), ('itself', array[public.falls_for_it()]);
set local search_path to public;
select is((select t.lines from told as t where t.session = 'itself'), array['yes'], 'This session falls for them');
select is((select t.lines from told as t where t.session = 'evil'), as_ever(), 'The engine does not: R-158');

-- Temporary tables and types of the engine's own names, which every session may make.
set local search_path to public;
create temp table step (x int);
create temp table queue (x int);
create temp table track (x int);
create temp table head (x int);
create temp table behind (x int);
create temp table run_status (x int);
create temp table step_status (x int);
create temp table waiter (x int);
create temp table worker (x int);
create temp table pg_class (x int);
create type pg_temp.jsonb as (x int);
create type pg_temp.outcome as (x int);
create type pg_temp.settings as (x int);
set local search_path to pg_temp, pg_catalog, public;
insert into public.told values ('temporary', public.lived());
set local search_path to public;
select is((select t.lines from told as t where t.session = 'temporary'), as_ever(), 'Objects in pg_temp: R-158');

-- No search_path at all.
set local search_path to '';
insert into public.told values ('nowhere', public.lived());
set local search_path to public;
select is((select t.lines from told as t where t.session = 'nowhere'), as_ever(), 'No path at all: R-158');

-- Settings that any role may change and that change how values are read and written.
set local intervalstyle to 'sql_standard';
set local datestyle to 'SQL, DMY';
set local time zone 'Europe/Berlin';
set local extra_float_digits to -15;
set local array_nulls to off;
set local bytea_output to 'escape';
set local quote_all_identifiers to on;
set local transform_null_equals to on;
set local work_mem to '64kB';
set local enable_indexscan to off;
set local enable_seqscan to off;
set local enable_nestloop to off;
set local from_collapse_limit to 1;
set local join_collapse_limit to 1;
set local plan_cache_mode to force_custom_plan;
set local statement_timeout to '1 min';
select is(lived(), as_ever(), 'Every setting otherwise: R-158');

reset all;
select set_clock('0');
select is(lived(), as_ever(), 'And in a plain session');

select * from finish();
rollback;
