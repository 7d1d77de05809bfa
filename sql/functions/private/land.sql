create or replace function tenure_private.land(
    p_step_ids bigint[],
    p_outputs jsonb[],
    p_outcome tenure_private.outcome,
    p_now timestamptz,
    p_verb text,
    p_owner text
)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- The caller holds the locks of all these steps and has decided under them.
declare
    v_terminal constant boolean = p_outcome.state in ('completed', 'skipped', 'discarded', 'cancelled');
    v_succeeded constant boolean = p_outcome.state in ('completed', 'skipped');
    v_reported constant text = p_verb || ' ' || p_outcome.verdict || ' ' || p_owner;
    v_waits constant boolean = coalesce(p_verb in ('sleep', 'wait_signal'), false);
    v_finished_at constant timestamptz = case when v_terminal then p_now end;
    v_count int;
begin
    update tenure_private.step as s
    set state = case when s.pausing and not v_terminal then 'paused' else p_outcome.state end,
        paused_state = case when s.pausing and not v_terminal then p_outcome.state end,
        paused_at = case when s.pausing and not v_terminal then p_now end,
        pausing = false,
        scheduled_at = coalesce(p_outcome.scheduled_at, s.scheduled_at),
        due_at = p_outcome.due_at,
        waited = s.waited or v_waits,
        attempt = coalesce(p_outcome.attempt, s.attempt),
        output = u.output,
        error = case when not v_succeeded then coalesce(p_outcome.error, s.error) end,
        error_kind = case when not v_succeeded then coalesce(p_outcome.error_kind, s.error_kind) end,
        reason = p_outcome.reason,
        reclaims = coalesce(p_outcome.reclaims, s.reclaims),
        releases = coalesce(p_outcome.releases, s.releases),
        lease_owner = case when p_outcome.keeps_lease then s.lease_owner end,
        lease_expiry = case when p_outcome.keeps_lease then s.lease_expiry end,
        -- What happens from outside does not change what the last report was told.
        reported = coalesce(v_reported, s.reported),
        finished_at = v_finished_at,
        alarm_at = case
            when not v_terminal and not s.pausing then tenure_private.next_alarm(
                p_now, p_outcome.state, null, s.on_timeout, s.started_at, s.timeout, s.progress_at, s.progress_timeout,
                s.deadline_at, s.start_by, p_outcome.due_at
            )
        end
    from unnest(p_step_ids, p_outputs) as u (step_id, output)
    -- Said twice, so that the index is read once for all and not for each.
    where s.step_id = u.step_id and s.step_id = any(p_step_ids);
    get diagnostics v_count = row_count;
    if v_count <> cardinality(p_step_ids) then
        raise exception using errcode = 'XX000', message = 'a decided transition found no step to land on';
    end if;
end
$function$;
comment on function tenure_private.land(
    bigint[], jsonb[], tenure_private.outcome, timestamptz, text, text
) is 'Writes one decided transition to these steps: the only statement that takes a step out of running. p_verb and p_owner: the report that caused it, NULL when it comes from outside.';
revoke all on function tenure_private.land(
    bigint[], jsonb[], tenure_private.outcome, timestamptz, text, text
) from public;
