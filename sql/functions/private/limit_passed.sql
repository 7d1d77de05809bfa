create or replace function tenure_private.limit_passed(
    p_now timestamptz,
    p_deadline_at timestamptz,
    p_started_at timestamptz,
    p_timeout interval,
    p_progress_at timestamptz,
    p_progress_timeout interval
)
returns text
language sql stable parallel safe
as $function$
-- Unpinned and plain, so that the planner inlines it into the hot statements.
select case
    when p_now >= p_deadline_at then 'deadline'
    when p_now >= p_started_at + p_timeout then 'timeout'
    when p_now >= greatest(p_started_at, p_progress_at) + p_progress_timeout then 'progress'
end;
$function$;
comment on function tenure_private.limit_passed(timestamptz, timestamptz, timestamptz, interval, timestamptz, interval) is
'Which limit of a running step has passed, in the order that counts: deadline, timeout, progress; NULL for none.';
revoke all on function tenure_private.limit_passed(
    timestamptz, timestamptz, timestamptz, interval, timestamptz, interval
) from public;
