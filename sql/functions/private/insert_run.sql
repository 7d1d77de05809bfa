create or replace function tenure_private.insert_run(
    p_workflow tenure_private.workflow,
    p_run_id bigint,
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
begin
    insert into tenure_private.step (
        step_id, root_id, track_id, state, scheduled_at, created_at, attempt, max_attempts, reclaims, releases,
        lease_generation, timeout, deadline, deadline_at, on_timeout, backoff, headers, input, tree, pausing, waited,
        purging
    )
    values (
        p_run_id, p_run_id, p_settings.track_id, 'waiting_steps', p_scheduled_at, p_now, 1, p_settings.max_attempts, 0,
        0, 0, p_settings.timeout, p_settings.deadline, p_now + p_settings.deadline, p_settings.on_timeout,
        p_settings.backoff, p_headers, p_input, true, false, false, false
    );
    insert into tenure_private.step_group (
        step_id, workflow_id, maps, on_failure, inherited, mounts, quota_ids, open, done, doomed, final, uncertain
    )
    values (
        p_run_id, p_workflow.workflow_id, false, p_workflow.on_failure, p_workflow.policy,
        tenure_private.mounted_versions(p_workflow.workflow_id), '{}', 0, 0, false, false, false
    );
end
$function$;
comment on function tenure_private.insert_run(
    tenure_private.workflow, bigint, tenure_private.settings, jsonb, jsonb, timestamptz, timestamptz
) is 'Inserts the row of a run of a workflow; open_groups() makes its children.';
revoke all on function tenure_private.insert_run(
    tenure_private.workflow, bigint, tenure_private.settings, jsonb, jsonb, timestamptz, timestamptz
) from public;
