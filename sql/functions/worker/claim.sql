create or replace function tenure.claim(
    queues text[],
    owner text,
    max_steps int default 1,
    lease_ttl interval default '30 s',
    names text[] default null
)
returns setof tenure.claimed
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
-- Locks: the rows it takes, by SKIP LOCKED: it waits for nobody.
declare
    v_now timestamptz;
    v_ttl interval;
    v_tracks tenure_private.open_track [];
    v_picked tenure_private.picked;
begin
    v_ttl := tenure_private.check_claim(claim.owner, claim.max_steps, claim.lease_ttl);
    v_now := tenure_private.clock();
    v_tracks := tenure_private.open_tracks(claim.queues, claim.names, v_now);
    v_picked := tenure_private.pick(v_tracks, claim.max_steps, v_now);
    if v_picked.step_ids <> '{}' then
        v_now := tenure_private.clock();
        return query
        with taken as (
            update tenure_private.step as s
            set state = 'running',
                lease_owner = claim.owner,
                lease_ttl = v_ttl,
                lease_expiry = v_now + v_ttl,
                lease_generation = s.lease_generation + 1,
                started_at = v_now,
                heartbeat_at = v_now,
                start_by = null,
                reported = null,
                alarm_at = tenure_private.next_alarm(
                    v_now, 'running', v_now + v_ttl, s.on_timeout, v_now, s.timeout, null, s.progress_timeout,
                    s.deadline_at, null, null
                )
            where s.step_id = any(v_picked.step_ids)
            returning
                s.step_id, s.root_id, s.track_id, s.input, s.attempt, s.max_attempts, s.lease_generation,
                s.lease_expiry, s.timeout, least(s.deadline_at, s.group_limit_at) as ends_at, s.reclaims, s.headers,
                s.on_timeout, s.waited, s.scheduled_at, s.parent_id, s.node_id
        )
        select
            t.step_id, t.root_id, k.name, k.queue, t.input, t.attempt, t.max_attempts, t.lease_generation,
            t.lease_expiry, tenure_private.time_left(v_now, t.ends_at, v_now, t.timeout), t.reclaims, t.headers,
            case
                when t.node_id is not null then tenure_private.claimed_keys(t.step_id)
                when t.parent_id is not null then '{}'
            end,
            case when t.waited then tenure_private.last_wait(t.step_id) end, t.on_timeout,
            case when t.waited then tenure_private.ended_waits(t.step_id) end
        from taken as t
        join unnest(v_tracks) as k on k.track_id = t.track_id
        order by k.priority, t.scheduled_at, t.step_id;
    end if;
    perform tenure_private.raise_heads(v_tracks, v_picked.track_ids, v_now);
end
$function$;
comment on function tenure.claim(text[], text, int, interval, text[]) is
'Leases up to max_steps (1 to 1000) due steps of these queues to owner for lease_ttl, by priority, then scheduled_at, then id; NULL names: all. Start a handler only after the claim has committed, and claim no more than can be started at once: the timeout runs from here.
Errors: TN003 unknown queue, TN005 owner, TN006 lease_ttl, TN007 max_steps, TN016 isolation other than READ COMMITTED, TN018 a queue that is not the caller''s.';
revoke all on function tenure.claim(text[], text, int, interval, text[]) from public;
grant execute on function tenure.claim(text[], text, int, interval, text[]) to tenure_worker;
