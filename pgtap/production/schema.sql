-- Whether the engine is as it was installed, and the server fit for it. Run it with pg_prove as a superuser or a
-- member of tenure_owner. It leaves nothing behind: what it makes for itself is rolled back.
begin;
\ir pgtap.psql
select plan(13);

create temp view relation_of_ours as
select
    c.oid::regclass::text as name,
    c.*
from pg_class as c
where c.relnamespace in ('tenure'::regnamespace, 'tenure_private'::regnamespace);

select is_empty('select * from tenure.verify_schema()', 'All is as it was installed');
select matches(tenure.schema_version(), '^\d+\.\d+\.\d+$', 'It is a release');
select is_empty(
    $$select c.name from relation_of_ours as c join pg_index as i on i.indexrelid = c.oid
    where not (i.indisvalid and i.indisready and i.indislive)$$,
    'Every index is valid'
);
select is_empty(
    $$select c.name, t.tgname from relation_of_ours as c join pg_trigger as t on t.tgrelid = c.oid
    where not t.tgisinternal and t.tgfoid <> 'tenure_private.replace_seed'::regproc$$,
    'Nobody has put a trigger on a table'
);
select is_empty(
    $$select c.name, r.rulename from relation_of_ours as c join pg_rewrite as r on r.ev_class = c.oid
    where r.rulename <> '_RETURN'$$,
    'Or a rule'
);
select is_empty(
    $$select k.conrelid::regclass, k.conname from pg_constraint as k
    where k.contype = 'f' and k.confrelid in (select c.oid from relation_of_ours as c)
        and k.conrelid not in (select c.oid from relation_of_ours as c)$$,
    'No foreign key of others keeps rows from being purged'
);
select is_empty(
    $$select c.name from relation_of_ours as c where c.relpersistence <> 'p'$$, 'Nothing is lost by a crash'
);
select is_empty(
    $$select c.name from relation_of_ours as c
    where c.relrowsecurity or exists (select from pg_inherits as h where h.inhparent = c.oid)$$,
    'No row security hides rows, no heir adds any'
);
select is_empty(
    $$select c.name, o.option_name, o.option_value from relation_of_ours as c
    cross join lateral pg_options_to_table(c.reloptions) as o
    where o.option_name in ('autovacuum_enabled', 'toast.autovacuum_enabled') and not o.option_value::boolean$$,
    'Autovacuum is switched off for none of the tables'
);
select ok(
    (
        select o.option_value::int <= 70
        from relation_of_ours as c
        cross join lateral pg_options_to_table(c.reloptions) as o
        where c.oid = 'tenure_private.step'::regclass and o.option_name = 'fillfactor'
    ),
    'The pages of step keep room for heartbeats'
);
select is(current_setting('autovacuum'), 'on', 'Autovacuum is on');
select is(current_setting('track_counts'), 'on', 'And knows where there is something to do');
select ok(
    (
        select coalesce(s.last_value, 0) < s.max_value / 2
        from pg_sequences as s
        where s.schemaname = 'tenure_private' and s.sequencename = 'step_id_seq'
    ),
    'Ids last'
);

select * from finish();
rollback;
