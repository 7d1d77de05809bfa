create or replace function tenure_private.insert_steps(
    p_settings tenure_private.settings,
    p_step_ids bigint[],
    p_inputs jsonb[],
    p_headers jsonb[],
    p_scheduled_at timestamptz[],
    p_now timestamptz
)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_first timestamptz;
begin
    with new as (
        select u.step_id, u.input, u.headers, u.scheduled_at, p_now + p_settings.deadline as deadline_at,
            greatest(u.scheduled_at, p_now) + p_settings.start_within as start_by
        from unnest(p_step_ids, p_inputs, p_headers, p_scheduled_at) as u (step_id, input, headers, scheduled_at)
    ),
    inserted as (
        insert into tenure_private.step (
            step_id, root_id, track_id, state, scheduled_at, created_at, attempt, max_attempts, reclaims, max_reclaims,
            releases, lease_generation, timeout, deadline, deadline_at, start_within, start_by, progress_timeout,
            on_timeout, backoff, headers, input, tree, pausing, waited, purging, alarm_at
        )
        select
            n.step_id, n.step_id, p_settings.track_id, 'available', n.scheduled_at, p_now, 1, p_settings.max_attempts,
            0, p_settings.max_reclaims, 0, 0, p_settings.timeout, p_settings.deadline, n.deadline_at,
            p_settings.start_within, n.start_by, p_settings.progress_timeout, p_settings.on_timeout, p_settings.backoff,
            coalesce(n.headers, p_settings.headers), n.input, false, false, false, false,
            tenure_private.next_alarm(
                p_now, 'available', null, null, null, null, null, null, n.deadline_at, n.start_by, null
            )
        from new as n
        returning scheduled_at
    )
    select min(i.scheduled_at) into strict v_first from inserted as i;
    if v_first <= p_now then
        if v_first < p_now then
            perform tenure_private.note_behind(p_settings.track_id, v_first);
        end if;
        perform tenure_private.wake(p_settings.track_id);
    end if;
end
$function$;
comment on function tenure_private.insert_steps(
    tenure_private.settings, bigint[], jsonb[], jsonb[], timestamptz[], timestamptz
) is 'Inserts plain steps of one policy. The caller had its transaction id before it read p_now: the heads rely on it.';
revoke all on function tenure_private.insert_steps(
    tenure_private.settings, bigint[], jsonb[], jsonb[], timestamptz[], timestamptz
) from public;
