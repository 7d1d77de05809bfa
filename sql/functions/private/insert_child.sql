create or replace function tenure_private.insert_child(
    p_by tenure_private.step,
    p_step_id bigint,
    p_settings tenure_private.settings,
    p_input jsonb,
    p_headers jsonb,
    p_scheduled_at timestamptz,
    p_now timestamptz
)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- The caller holds the starting step's row and its run shared: so neither has ended, and nobody pauses the run.
declare
    v_parent_id constant bigint = coalesce(p_by.parent_id, p_by.step_id);
    v_paused boolean;
    v_deadline_at constant timestamptz = p_now + coalesce(p_settings.bound, p_settings.deadline);
    v_start_by constant timestamptz = greatest(p_scheduled_at, p_now) + p_settings.start_within;
begin
    select p_by.pausing or r.state = 'paused' into strict v_paused
    from tenure_private.step as r where r.step_id = p_by.root_id;
    insert into tenure_private.step (
        step_id, root_id, parent_id, track_id, state, paused_state, paused_at, scheduled_at, created_at, attempt,
        max_attempts, reclaims, max_reclaims, releases, lease_generation, timeout, deadline, deadline_at, start_within,
        start_by, progress_timeout, on_timeout, backoff, headers, input, tree, pausing, waited, purging, alarm_at,
        group_attempt, group_limit_at
    )
    values (
        p_step_id, p_by.root_id, v_parent_id, p_settings.track_id,
        case when v_paused then 'paused' else 'available' end, case when v_paused then 'available' end,
        case when v_paused then p_now end, p_scheduled_at, p_now, 1, p_settings.max_attempts, 0,
        p_settings.max_reclaims, 0, 0, p_settings.timeout, p_settings.deadline, v_deadline_at,
        p_settings.start_within, v_start_by, p_settings.progress_timeout, p_settings.on_timeout, p_settings.backoff,
        p_headers, p_input, false, false, false, false,
        case when not v_paused then tenure_private.next_alarm(
            p_now, 'available', null, null, null, null, null, null, v_deadline_at, v_start_by, null
        ) end,
        p_by.group_attempt, p_by.group_limit_at
    );
    insert into tenure_private.member (group_id, attempt, node_id, step_id)
    values (v_parent_id, coalesce(p_by.group_attempt, 0), 0, p_step_id);
    if p_settings.layers is not null then
        perform tenure_private.add_layers(array[p_step_id], p_settings.layers, p_now);
    end if;
    -- Written in any case, so that who has an older snapshot cannot pass over the child: see lock_children().
    update tenure_private.step as s set tree = s.tree or s.parent_id is null where s.step_id = p_by.step_id;
    if not v_paused and p_scheduled_at <= p_now then
        if p_scheduled_at < p_now then
            perform tenure_private.note_behind(p_settings.track_id, p_scheduled_at);
        end if;
        perform tenure_private.wake(p_settings.track_id);
    end if;
end
$function$;
comment on function tenure_private.insert_child(
    tenure_private.step, bigint, tenure_private.settings, jsonb, jsonb, timestamptz, timestamptz
) is 'Inserts a child that a running step has started: beside it in its group, or under it where it is a run.';
revoke all on function tenure_private.insert_child(
    tenure_private.step, bigint, tenure_private.settings, jsonb, jsonb, timestamptz, timestamptz
) from public;
