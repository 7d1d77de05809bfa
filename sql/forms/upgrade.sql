-- Tenure: upgrades the engine from @FROM@ to @VERSION@. Built from sql/ by sql/build.py; change the sources, not this text.
-- Runs in one transaction, which the caller opens and commits.
-- Shorter than deadlock_timeout's one second: where the upgrade and a worker wait for each other it is the upgrade that
-- gives way, and whoever queues behind a lock that it waits for waits no longer than this.
set local lock_timeout = '500ms';
-- So that no name or operator below can mean something that was planted in the database.
set local search_path = pg_catalog, pg_temp;
do $prelude$
declare
    v_found text;
begin
    perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('tenure.install', 0));
    if exists (select from pg_catalog.pg_namespace as n where n.nspname = 'tenure_private') then
        select i.version into v_found from tenure_private.installation as i;
    end if;
    if v_found is distinct from '@FROM@' then
        raise exception using
            errcode = 'TN021',
            message = 'this script upgrades Tenure @FROM@, and the database holds another version or none',
            detail = pg_catalog.format('Found: %s.', coalesce(v_found, 'none')),
            hint = 'Run the scripts one after the other, each from the version that is there.';
    end if;
end
$prelude$;
set local role tenure_owner;
