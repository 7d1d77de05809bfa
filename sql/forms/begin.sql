-- Runs in one transaction, which the caller opens and commits; the end of this text gives these settings back.
do $caller$
begin
    perform pg_catalog.set_config('tenure.caller_role', pg_catalog.current_setting('role'), true);
    perform pg_catalog.set_config('tenure.caller_path', pg_catalog.current_setting('search_path'), true);
    perform pg_catalog.set_config('tenure.caller_lock_timeout', pg_catalog.current_setting('lock_timeout'), true);
end
$caller$;
-- So that no name or operator below can mean something that was planted in the database.
set local search_path = pg_catalog, pg_temp;
