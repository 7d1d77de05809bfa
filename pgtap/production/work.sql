-- Whether the work goes on. What it finds may be right for a moment, and is wrong when it lasts. Run it with pg_prove as
-- a superuser or a member of tenure_owner. It leaves nothing behind: what it makes for itself is rolled back.
begin;
\ir pgtap.psql
select plan(7);

select is_empty(
    $$select l.step_id, l.owner, l.lease_expiry from tenure.lease_status as l
    where l.state = 'running' and l.lease_expiry < clock_timestamp() - interval '1 minute'$$,
    'No lease has run out a minute ago: somebody sweeps'
);
select is_empty(
    $$select s.step_id, s.state, s.alarm_at from tenure_private.step as s
    where s.alarm_at < clock_timestamp() - interval '1 minute'$$,
    'No limit or timer has passed a minute ago without being seen to'
);
select is_empty(
    $$select w.owner, w.in_flight from tenure.worker_status as w where w.in_flight > 0 and not w.alive$$,
    'No step is in the hands of a worker that has not been heard of'
);
select is_empty(
    $$select a.pid, a.usename, a.application_name, a.xact_start from pg_stat_activity as a
    where a.datname = current_database() and a.state like 'idle in transaction%'
        and a.xact_start < clock_timestamp() - interval '1 hour'$$,
    'Nobody sits in a transaction for an hour, which would keep dead rows'
);
select is_empty(
    $$select x.gid, x.prepared from pg_prepared_xacts as x
    where x.database = current_database() and x.prepared < clock_timestamp() - interval '1 hour'$$,
    'No prepared transaction has been left for an hour'
);
select is_empty(
    $$select r.slot_name from pg_replication_slots as r
    where not r.active and (r.xmin is not null or r.catalog_xmin is not null)$$,
    'No replication slot that nobody reads keeps dead rows'
);
select is_empty(
    $$select t.relname, t.n_live_tup, t.n_dead_tup from pg_stat_all_tables as t
    where t.schemaname = 'tenure_private' and t.n_dead_tup > 100000 and t.n_dead_tup > t.n_live_tup$$,
    'Vacuum keeps up: no table is more dead than alive'
);

select * from finish();
rollback;
