create or replace function tenure_private.too_large(p_bytes bigint)
returns boolean
language sql immutable parallel safe
as $function$
select p_bytes > 200000000;
$function$;
comment on function tenure_private.too_large(bigint) is
'Whether documents of so many bytes may not be put into one: PostgreSQL''s own bound is 256 MB, and its error would stop every claim.';
revoke all on function tenure_private.too_large(bigint) from public;
