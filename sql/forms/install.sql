-- Locks: nothing that is in use.
-- Time: about a second.
do $install$
begin
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
