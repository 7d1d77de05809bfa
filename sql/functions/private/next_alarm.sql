create or replace function tenure_private.next_alarm(
    p_now timestamptz,
    p_state text,
    p_lease_expiry timestamptz,
    p_on_timeout text,
    p_started_at timestamptz,
    p_timeout interval,
    p_progress_at timestamptz,
    p_progress_timeout interval,
    p_deadline_at timestamptz,
    p_start_by timestamptz,
    p_due_at timestamptz
)
returns timestamptz
language sql stable parallel safe
as $function$
-- Unpinned and plain, so that the planner inlines it. NULLs are passed over by least(). Never in the past: the
-- sweep's floor relies on no alarm being set behind it.
select nullif(greatest(p_now, coalesce(
    case p_state
        when 'running' then least(
            p_deadline_at,
            p_lease_expiry,
            case when p_on_timeout = 'abandon' then
                least(p_started_at + p_timeout, greatest(p_started_at, p_progress_at) + p_progress_timeout)
            end
        )
        when 'available' then least(p_deadline_at, p_start_by)
        when 'waiting_timer' then least(p_deadline_at, p_due_at)
        when 'waiting_signal' then least(p_deadline_at, p_due_at)
        when 'pending' then least(p_deadline_at, p_due_at)
        when 'waiting_steps' then least(p_deadline_at, p_started_at + p_timeout)
    end,
    'infinity'
)), 'infinity');
$function$;
comment on function tenure_private.next_alarm(
    timestamptz, text, timestamptz, text, timestamptz, interval, timestamptz, interval, timestamptz, timestamptz, timestamptz
) is 'When the sweep must next look at a step in this state; NULL: never.';
revoke all on function tenure_private.next_alarm(
    timestamptz,
    text,
    timestamptz,
    text,
    timestamptz,
    interval,
    timestamptz,
    interval,
    timestamptz,
    timestamptz,
    timestamptz
) from public;
