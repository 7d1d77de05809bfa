create or replace function tenure_private.head_lock()
returns int
language sql immutable parallel safe
as $function$
select 1952804469;
$function$;
comment on function tenure_private.head_lock() is
'First half of the advisory locks that Tenure takes, all of them to the end of a transaction and all but the installer''s only tried. The second half is a track.';
revoke all on function tenure_private.head_lock() from public;
