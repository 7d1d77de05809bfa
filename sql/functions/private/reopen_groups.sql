create or replace function tenure_private.reopen_groups(p_step_ids bigint[], p_extra_attempts int, p_now timestamptz)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- A group reopens with the children that it has, in the same attempt; one that has none yet waits for its keys again.
-- To go on so is the first of its extra attempts: what has completed must not be done once more when it fails again.
begin
    perform tenure_private.restart_layers(p_step_ids, p_extra_attempts, p_now);
    update tenure_private.step as s
    set state = d.state,
        scheduled_at = p_now,
        started_at = case d.state when 'waiting_steps' then p_now end,
        due_at = null,
        max_attempts = greatest(
            o.max_attempts,
            least(o.attempt::bigint + coalesce(p_extra_attempts, 0) - d.goes_on, 2147483647)::int
        ),
        error = null,
        error_kind = null,
        reason = null,
        finished_at = null,
        deadline_at = coalesce(p_now + s.deadline, tenure_private.nearest_layer(s.step_id)),
        alarm_at = tenure_private.next_alarm(
            p_now, d.state, null, null, p_now, s.timeout, null, null,
            coalesce(p_now + s.deadline, tenure_private.nearest_layer(s.step_id)), null, null
        )
    from tenure_private.step as o
    cross join lateral (
        select case when m.has then 'waiting_steps' else 'pending' end as state, m.has::int as goes_on
        from (
            select exists (
                select from tenure_private.member as m where m.group_id = o.step_id and m.attempt = o.attempt
            ) as has
        ) as m
    ) as d
    where s.step_id = any(p_step_ids) and o.step_id = s.step_id;
end
$function$;
comment on function tenure_private.reopen_groups(bigint[], int, timestamptz) is
'Reopens groups; p_extra_attempts: room for at least so many more, NULL: as before.';
revoke all on function tenure_private.reopen_groups(bigint[], int, timestamptz) from public;
