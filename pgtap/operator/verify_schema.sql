begin;
select plan(76);
\ir ../session.psql

-- session.psql has replaced the clock: the one difference there is.
create function differences()
returns text
language plpgsql
as $$
declare
    v_found text;
begin
    select string_agg(format('%s, %s: %s -> %s', d.object, d.aspect, d.expected, d.found), '; ' order by d.object, d.aspect)
    into v_found
    from tenure.verify_schema() as d
    where d.object <> 'function tenure_private.clock()';
    return v_found;
end
$$;

create function after(p_change text)
returns text
language plpgsql
as $$
-- What verify_schema() says after a change, which is undone.
declare
    v_found text;
begin
    execute p_change;
    v_found := differences();
    raise exception sqlstate 'UNDO0';
exception when sqlstate 'UNDO0' then
    return v_found;
end
$$;

select is(differences(), null, 'A schema as it was installed is clean: R-160');
set local intervalstyle = 'iso_8601';
select is(differences(), null, 'Under another IntervalStyle too');
set local intervalstyle = 'postgres';
set local quote_all_identifiers = on;
select is(differences(), null, 'And whatever else the session has set');
set local quote_all_identifiers = off;
set local search_path = tenure, tenure_private, public;
select is(differences(), null, 'Or looks through');
set local extra_float_digits = -15;
select is(differences(), null, 'However it shows numbers');
set local extra_float_digits = 1;
set local search_path = public;
select is(
    (select format('%s, %s', d.object, d.aspect) from tenure.verify_schema() as d),
    'function tenure_private.clock(), body', 'A changed body is one row: R-160'
);

select
    alike(
        after(c.change), c.found, format('%s: R-160', left(c.change, 70))
    )
from (
    values
    -- Functions.
    (
        'alter function tenure_private.refuse(text, text, text, text) reset search_path',
        'function tenure_private.refuse(text,text,text,text), settings: search_path=pg_catalog, pg_temp -> '
    ),
    (
        'alter function tenure_private.refuse(text, text, text, text) set search_path = pg_catalog, public',
        'function tenure_private.refuse(text,text,text,text), settings: search_path=pg_catalog, pg_temp -> '
        'search_path=pg_catalog, public'
    ),
    (
        'alter function tenure.schema_version() security invoker',
        'function tenure.schema_version(), security: definer -> invoker'
    ),
    (
        'alter function tenure.schema_version() volatile strict parallel unsafe',
        'function tenure.schema_version(), volatility: s s -> v u strict'
    ),
    (
        'create or replace function tenure_private.head_lock() returns int language sql immutable parallel safe '
        'as ''select 1''',
        'function tenure_private.head_lock(), body: '
        || (select md5(p.prosrc) from pg_proc as p where p.oid = 'tenure_private.head_lock()'::regprocedure)
        || ' -> ' || md5('select 1')
    ),
    (
        'alter function tenure.sweep(int) owner to tenure_reader',
        'function tenure.sweep(integer), grants: tenure_operator=EXECUTE, tenure_owner=EXECUTE, '
        'tenure_worker=EXECUTE -> '
        'tenure_operator=EXECUTE, tenure_reader=EXECUTE, tenure_worker=EXECUTE; '
        'function tenure.sweep(integer), owner: tenure_owner -> tenure_reader'
    ),
    (
        'grant execute on function tenure.sweep(int) to public',
        'function tenure.sweep(integer), grants: tenure_operator=EXECUTE, tenure_owner=EXECUTE, '
        'tenure_worker=EXECUTE -> '
        'PUBLIC=EXECUTE, tenure_operator=EXECUTE, tenure_owner=EXECUTE, tenure_worker=EXECUTE'
    ),
    (
        'grant execute on function tenure.sweep(int) to tenure_worker with grant option',
        'function tenure.sweep(integer), grants: tenure_operator=EXECUTE, tenure_owner=EXECUTE, '
        'tenure_worker=EXECUTE -> '
        'tenure_operator=EXECUTE, tenure_owner=EXECUTE, tenure_worker=EXECUTE*'
    ),
    (
        'revoke execute on function tenure.sweep(int) from tenure_operator',
        'function tenure.sweep(integer), grants: tenure_operator=EXECUTE, tenure_owner=EXECUTE, '
        'tenure_worker=EXECUTE -> '
        'tenure_owner=EXECUTE, tenure_worker=EXECUTE'
    ),
    -- Tables, columns, constraints, indexes, triggers.
    (
        'grant select on tenure_private.step to tenure_reader',
        'table tenure_private.step, grants: tenure_owner=DELETE, % -> tenure_owner=DELETE, %, tenure_reader=SELECT'
    ),
    (
        'grant update (output) on tenure_private.step to tenure_client',
        'column tenure_private.step.output, grants: default -> tenure_client=UPDATE'
    ),
    (
        'alter table tenure_private.setting alter column bytes type bigint',
        'column tenure_private.setting.bytes, type: integer not null -> bigint not null'
    ),
    (
        'alter table tenure_private.setting alter column bytes drop not null',
        'column tenure_private.setting.bytes, type: integer not null -> integer'
    ),
    (
        'alter table tenure_private.setting alter column bytes set default 1',
        'column tenure_private.setting.bytes, type: integer not null -> integer not null 1'
    ),
    (
        'alter table tenure_private.signal drop column payload',
        'column tenure_private.signal.payload, grants: default -> ; column tenure_private.signal.payload, type: '
        'jsonb -> '
    ),
    (
        'alter table tenure_private.step drop constraint step_state_check',
        'constraint step_state_check on tenure_private.step, definition: %'
    ),
    (
        'alter table tenure_private.setting add constraint extra check (bytes > 0)',
        'constraint extra on tenure_private.setting, definition:  -> CHECK ((bytes > 0))'
    ),
    (
        'drop index tenure_private.waiter_expires_at_idx',
        'index tenure_private.waiter_expires_at_idx, definition: CREATE INDEX waiter_expires_at_idx ON '
        'tenure_private.waiter USING btree (expires_at) -> ; index tenure_private.waiter_expires_at_idx, grants: %'
    ),
    (
        'create index step_extra_idx on tenure_private.step (created_at)',
        'index tenure_private.step_extra_idx, definition:  -> CREATE INDEX step_extra_idx ON %'
    ),
    (
        'alter table tenure_private.step set (fillfactor = 100)',
        'table tenure_private.step, options: p; fillfactor=60; %'
    ),
    (
        'alter table tenure_private.wait set unlogged', 'index tenure_private.wait_pkey, options: p -> u; %'
    ),
    (
        'alter table tenure_private.signal enable row level security',
        'table tenure_private.signal, row security: false -> true'
    ),
    (
        'alter table tenure_private.signal force row level security',
        'table tenure_private.signal, row security: false -> true'
    ),
    (
        'create trigger spy after update on tenure_private.step for each row execute function '
        'suppress_redundant_updates_trigger()',
        'trigger spy on tenure_private.step, definition:  -> CREATE TRIGGER spy AFTER UPDATE ON tenure_private.step '
        'FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger(); '
        'trigger spy on tenure_private.step, state:  -> on'
    ),
    (
        'create rule spy as on delete to tenure_private.signal do instead nothing',
        'rule spy on tenure_private.signal, definition:  -> CREATE RULE spy AS%'
    ),
    (
        'alter sequence tenure_private.step_id_seq owner to tenure_reader',
        'sequence tenure_private.step_id_seq, grants: %; '
        'sequence tenure_private.step_id_seq, owner: tenure_owner -> tenure_reader'
    ),
    -- Views, types, schemas.
    (
        'grant select on tenure.step_status to tenure_client',
        'view tenure.step_status, grants: tenure_operator=SELECT, tenure_owner=DELETE, %'
    ),
    (
        'create or replace view tenure.attempt_log as select l.* from ('
        || rtrim(pg_get_viewdef('tenure.attempt_log'), ';')
        || ') as l',
        'view tenure.attempt_log, definition: %'
    ),
    (
        'alter type tenure.verdict add attribute extra text',
        'column tenure.verdict.extra, grants:  -> default; column tenure.verdict.extra, type:  -> text'
    ),
    (
        'grant usage on schema tenure_private to public',
        'schema tenure_private, grants: tenure_owner=CREATE, tenure_owner=USAGE -> '
        'PUBLIC=USAGE, tenure_owner=CREATE, tenure_owner=USAGE'
    ),
    (
        'alter schema tenure owner to tenure_reader',
        'schema tenure, grants: %'
    )
) as c (change, found);

select alike(after(c.change), c.found, format('%s: R-237', left(c.change, 70)))
from (
    values
    -- Comments, which people act upon.
    (
        'comment on function tenure.sweep(int) is ''Do not call.''',
        'function tenure.sweep(integer), comment: Moves on % -> Do not call.'
    ),
    ('comment on schema tenure is null', 'schema tenure, comment: Tenure: % -> '),
    ('comment on view tenure.run_status is null', 'view tenure.run_status, comment: Every run. % -> '),
    ('comment on table tenure_private.signal is ''x''', 'table tenure_private.signal, comment: % -> x'),
    ('comment on type tenure.verdict is null', 'type tenure.verdict, comment: What became of one report. -> '),
    (
        'comment on column tenure_private.step.due_at is null',
        'column tenure_private.step.due_at, comment: When the present % -> '
    ),
    (
        'comment on column tenure_private.step.input is ''x''',
        'column tenure_private.step.input, comment:  -> x'
    ),
    (
        'comment on constraint step_state_check on tenure_private.step is ''x''',
        'constraint step_state_check on tenure_private.step, comment:  -> x'
    ),
    -- What was switched off, or does not work.
    (
        'alter table tenure_private.queue disable trigger queue_replace_seed',
        'trigger queue_replace_seed on tenure_private.queue, state: on -> switched off'
    ),
    (
        'alter table tenure_private.track disable trigger all',
        'constraint track_queue_id_fkey on tenure_private.track, state:  -> switched off'
    ),
    (
        'update pg_index set indisvalid = false where indexrelid = ''tenure_private.step_alarm_at_idx''::regclass',
        'index tenure_private.step_alarm_at_idx, state: valid -> invalid'
    ),
    (
        'alter table tenure_private.behind replica identity default',
        'table tenure_private.behind, replica identity: full -> '
    ),
    (
        'alter table tenure_private.step replica identity nothing',
        'table tenure_private.step, replica identity:  -> nothing'
    ),
    (
        'alter table tenure_private.step set (toast.autovacuum_enabled = off)',
        'table tenure_private.step, toast options:  -> autovacuum_enabled=off'
    ),
    (
        'alter table tenure_private.step alter input set storage external, alter input set compression pglz, '
        'alter input set statistics 7, alter input set (n_distinct = 5)',
        'column tenure_private.step.input, storage:  -> storage e compression p statistics 7 n_distinct=5'
    ),
    (
        'alter function tenure.schema_version() support pg_catalog.generate_series_int4_support',
        'function tenure.schema_version(), support:  -> generate_series_int4_support'
    ),
    -- Rows without which nothing works.
    (
        'delete from tenure_private.setting where name = ''input''',
        'row input of tenure_private.setting, presence: there -> '
    ),
    ('delete from tenure_private.queue', 'row default of tenure_private.queue, presence: there -> '),
    ('delete from tenure_private.high_clock', 'row of tenure_private.high_clock, presence: there -> '),
    ('delete from tenure_private.installation', 'row of tenure_private.installation, presence: there -> '),
    (
        'create policy nobody on tenure_private.signal using (false)',
        'policy nobody on tenure_private.signal, definition:  -> * permissive false'
    ),
    (
        'create table public.heir () inherits (tenure_private.step)',
        'table tenure_private.step, heirs:  -> public.heir'
    ),
    (
        'alter sequence tenure_private.step_id_seq cycle cache 7',
        'sequence tenure_private.step_id_seq, definition: bigint from 1 by 1 in 1 to 281474976710655, cache 1 -> '
        'bigint from 1 by 1 in 1 to 281474976710655, cache 7, cycles'
    ),
    (
        'alter table tenure_private.wait alter column seq set generated by default',
        'column tenure_private.wait.seq, type: bigint not null identity always -> bigint not null identity by default'
    ),
    (
        'alter table tenure_private.worker alter column channel type text collate "C"',
        'column tenure_private.worker.channel, type: text not null -> text collate "C" not null'
    ),
    (
        'alter function tenure.schema_version() leakproof cost 7',
        'function tenure.schema_version(), costs: 100, 0 rows -> 7, 0 rows; '
        'function tenure.schema_version(), volatility: s s -> s s leakproof'
    ),
    -- What was put there.
    ('create type tenure.mood as enum (''good'')', 'type tenure.mood, grants:  -> %; type tenure.mood, kind:  -> e; %'),
    (
        'create domain tenure_private.few as int check (value < 3)',
        'constraint few_check on tenure_private.few, definition:  -> CHECK ((VALUE < 3)); %kind:  -> d integer; %'
    ),
    (
        'create operator tenure.=== (leftarg = int, rightarg = int, function = int4eq)',
        'operator tenure.===(integer,integer), presence:  -> there'
    ),
    (
        'create table public.order_of_theirs (step_id bigint constraint mine references tenure_private.step)',
        'constraint mine on public.order_of_theirs, definition:  -> FOREIGN KEY (step_id) REFERENCES '
        'tenure_private.step(step_id)'
    ),
    ('create collation tenure.mine from "C"', 'collation tenure.mine, presence:  -> there'),
    (
        'create statistics tenure_private.both on state, attempt from tenure_private.step',
        'statistics object tenure_private."both", presence:  -> there'
    ),
    (
        'alter default privileges for role tenure_owner in schema tenure grant execute on functions to public',
        'default privileges of tenure_owner on f, in tenure:  -> PUBLIC=EXECUTE'
    ),
    (
        'alter default privileges for role tenure_owner grant select on tables to tenure_client',
        'default privileges of tenure_owner on r, in all schemas:  -> tenure_client=SELECT, tenure_owner=DELETE, %'
    )
) as c (change, found);

select is(
    after('create view public.v as select ''tenure''::regnamespace as schema, * from tenure.run_status'), null,
    'What others build on it outside is no difference: R-237'
);
select is(after('create collation public.mine from "C"'), null, 'What has nothing to do with it, neither: R-237');

-- What was added, dropped or replaced is told from both sides.
select alike(
    after('create function tenure.later() returns int language sql as ''select 1'''),
    'function tenure.later(), arguments:  -> ; function tenure.later(), body:  -> %',
    'A foreign function has no expectation'
);
select alike(
    after('drop function tenure_private.head_lock()'),
    'function tenure_private.head_lock(), arguments:  -> ; function tenure_private.head_lock(), body: % -> ; %',
    'A missing one has nothing found'
);
select alike(
    after('create function tenure.signal(bigint) returns int language sql as ''select 1'''),
    'function tenure.signal(bigint), arguments:  -> %', 'A second signature is another function'
);

select * from finish();
rollback;
