create or replace function tenure_private.nearest_limit(
    p_deadline_at timestamptz,
    p_started_at timestamptz,
    p_timeout interval,
    p_progress_at timestamptz,
    p_progress_timeout interval
)
returns timestamptz
language sql stable parallel safe
as $function$
-- Unpinned and plain, so that the planner inlines it.
select least(
    p_deadline_at, p_started_at + p_timeout, greatest(p_started_at, p_progress_at) + p_progress_timeout
);
$function$;
comment on function tenure_private.nearest_limit(timestamptz, timestamptz, interval, timestamptz, interval) is
'From when on limit_passed() names a limit of a running step; NULL: it has none.';
revoke all on function tenure_private.nearest_limit(
    timestamptz, timestamptz, interval, timestamptz, interval
) from public;
