create or replace function tenure_private.time_left(
    p_now timestamptz, p_deadline_at timestamptz, p_started_at timestamptz, p_timeout interval
)
returns interval
language sql stable parallel safe
as $function$
-- Unpinned and plain, so that the planner inlines it.
select case when p_deadline_at is not null or p_timeout is not null then
    greatest(least(p_deadline_at, p_started_at + p_timeout), p_now) - p_now
end;
$function$;
comment on function tenure_private.time_left(timestamptz, timestamptz, timestamptz, interval) is
'How long a running step still has until its timeout or deadline: never negative, NULL without either.';
revoke all on function tenure_private.time_left(timestamptz, timestamptz, timestamptz, interval) from public;
