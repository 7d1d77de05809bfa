create or replace function tenure_private.in_time(p_now timestamptz, p_deadline_at timestamptz, p_start_by timestamptz)
returns boolean
language sql immutable parallel safe
as $function$
-- Unpinned and plain, so that the planner inlines it.
select (p_deadline_at is null or p_deadline_at > p_now) and (p_start_by is null or p_start_by > p_now);
$function$;
comment on function tenure_private.in_time(timestamptz, timestamptz, timestamptz) is
'Whether a due step may still be claimed: neither its deadline nor its start_within has passed, swept or not.';
revoke all on function tenure_private.in_time(timestamptz, timestamptz, timestamptz) from public;
