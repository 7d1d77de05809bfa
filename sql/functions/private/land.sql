create or replace function tenure_private.land(
    p_outcomes tenure_private.outcome [], p_now timestamptz, p_verb text, p_owner text
)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $function$
-- The caller holds the locks of all these steps and has decided under them.
declare
    v_count int;
begin
    perform tenure_private.log_attempts(p_outcomes, p_now);
    update tenure_private.step as s
    set state = case when s.pausing and not t.terminal then 'paused' else o.state end,
        paused_state = case when s.pausing and not t.terminal then o.state end,
        paused_at = case when s.pausing and not t.terminal then p_now end,
        pausing = false,
        scheduled_at = o.scheduled_at,
        due_at = o.due_at,
        waited = s.waited or coalesce(p_verb in ('sleep', 'wait_signal'), false),
        attempt = o.attempt,
        output = o.output,
        error = o.error,
        error_kind = o.error_kind,
        reason = o.reason,
        reclaims = o.reclaims,
        releases = o.releases,
        lease_owner = case when o.keeps_lease then s.lease_owner end,
        lease_expiry = case when o.keeps_lease then s.lease_expiry end,
        reported = case when p_verb is not null then p_verb || ' ' || o.verdict || ' ' || p_owner end,
        finished_at = case when t.terminal then p_now end,
        alarm_at = case
            when t.terminal or s.pausing then null
            else tenure_private.next_alarm(
                p_now, o.state, null, s.on_timeout, s.started_at, s.timeout, s.progress_at, s.progress_timeout,
                s.deadline_at, s.start_by, o.due_at
            )
        end
    from unnest(p_outcomes) as o
    cross join lateral (select o.state in ('completed', 'skipped', 'discarded', 'cancelled') as terminal) as t
    where s.step_id = o.step_id;
    get diagnostics v_count = row_count;
    if v_count <> cardinality(p_outcomes) then
        raise exception using errcode = 'XX000', message = 'a decided transition found no step to land on';
    end if;
end
$function$;
comment on function tenure_private.land(tenure_private.outcome [], timestamptz, text, text) is
'Writes decided transitions: the only statement that takes a step out of running. p_verb and p_owner: the report that caused them, NULL when they come from outside.';
revoke all on function tenure_private.land(tenure_private.outcome [], timestamptz, text, text) from public;
