create or replace function tenure_private.renew(
    p_step_ids bigint[], p_owner text, p_generations bigint[], p_progress jsonb
)
returns setof tenure.renewal
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
set jit = off
as $function$
-- The caller holds the rows, so the clock is read late enough. Only columns that no index names are written, so that
-- the new version stays on its page (HOT). alarm_at may be early but not late, so it changes only when the new
-- expiry is nearer than it: a shorter ttl, or a clock set back.
declare
    v_now constant timestamptz = tenure_private.clock();
begin
    return query
    with judged as materialized (
        select
            u.n, u.step_id, s.on_timeout, l.passed,
            case
                when s.state = 'running' and s.lease_owner = p_owner and s.lease_generation = u.generation then
                    case
                        -- The end of the group, which a sweep or fold will see: it cancels, and waits for no body.
                        when s.group_limit_at <= v_now then 'cancelled'
                        when l.passed is null then 'renewed'
                        else 'timed_out'
                    end
                when s.state = 'cancelled' then 'cancelled'
                else 'lost'
            end as verdict
        from unnest(p_step_ids, p_generations) with ordinality as u (step_id, generation, n)
        left join tenure_private.step as s on s.step_id = u.step_id
        cross join lateral (
            select tenure_private.limit_passed(
                v_now, s.deadline_at, s.started_at, s.timeout, s.progress_at, s.progress_timeout
            ) as passed
        ) as l
    ),
    beaten as (
        update tenure_private.step as s
        set lease_expiry = v_now + s.lease_ttl,
            heartbeat_at = v_now,
            -- What comes after a limit does not take the limit back.
            progress = case when j.passed is null then coalesce(p_progress, s.progress) else s.progress end,
            progress_at = case when j.passed is null and p_progress is not null then v_now else s.progress_at end,
            alarm_at = least(s.alarm_at, v_now + s.lease_ttl)
        from judged as j
        where s.step_id = j.step_id
            -- Under on_timeout = wait the lease goes on past the limit, so that no second body starts beside the first.
            and (
                j.verdict = 'renewed'
                or (j.verdict = 'timed_out' and j.on_timeout = 'wait' and j.passed <> 'deadline')
            )
        returning s.step_id, s.lease_expiry
    )
    select
        j.step_id, j.verdict, coalesce(b.lease_expiry, s.lease_expiry),
        tenure_private.time_left(v_now, least(s.deadline_at, s.group_limit_at), s.started_at, s.timeout)
    from judged as j
    left join tenure_private.step as s on s.step_id = j.step_id and j.verdict in ('renewed', 'timed_out')
    left join beaten as b on b.step_id = s.step_id
    order by j.n;
end
$function$;
comment on function tenure_private.renew(bigint[], text, bigint[], jsonb) is
'Renews leases whose rows the caller has locked, each guarded by its own generation and limits.';
revoke all on function tenure_private.renew(bigint[], text, bigint[], jsonb) from public;
