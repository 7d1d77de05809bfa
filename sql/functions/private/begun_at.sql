create or replace function tenure_private.begun_at()
returns timestamptz
language sql stable parallel safe
as $function$
select pg_catalog.transaction_timestamp();
$function$;
comment on function tenure_private.begun_at() is
'When this transaction began, which is before it got its id. Nothing is decided by it: it bounds the transactions that a head''s mark must wait for.';
revoke all on function tenure_private.begun_at() from public;
