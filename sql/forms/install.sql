-- Locks: nothing that is in use.
-- Time: about a second.
set local lock_timeout = '5s';
do $install$
begin
    -- Two installs at once would fail on each other's catalogue rows; the second waits here instead.
    perform pg_advisory_xact_lock(hashtextextended('tenure.install', 0));
    -- Not to_regnamespace(): after the wait for the lock the name cache may still know of no such schema.
    if exists (select from pg_namespace as n where n.nspname = 'tenure') then
        raise exception using
            errcode = 'TN020',
            message = 'Tenure is already installed in this database',
            detail = 'The schema "tenure" exists.',
            hint = 'Ask select tenure.schema_version() which version it is.';
    end if;
end
$install$;
