create or replace function tenure_private.clock()
returns timestamptz
language sql volatile parallel unsafe
as $function$
select pg_catalog.clock_timestamp();
$function$;
comment on function tenure_private.clock() is
'The only clock of the engine, read when a decision is made and after the row is locked: now() is frozen at the start of the transaction. Only the owner can replace it, as tests do to move time.';
revoke all on function tenure_private.clock() from public;
-- The views call it with the rights of whoever reads them; without USAGE on the schema nobody can call it by name.
grant execute on function tenure_private.clock() to tenure_client, tenure_worker, tenure_operator, tenure_reader;
