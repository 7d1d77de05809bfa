create or replace function tenure_private.caller()
returns name
language sql stable parallel safe
as $function$
-- Unpinned and plain, so that the planner inlines it. Inside SECURITY DEFINER current_user is the owner.
select coalesce(nullif(pg_catalog.current_setting('role'), 'none'), session_user)::pg_catalog.name;
$function$;
comment on function tenure_private.caller() is 'The role that the session acts as: by SET ROLE, else that of its login.';
revoke all on function tenure_private.caller() from public;
