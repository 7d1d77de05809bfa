create or replace function tenure.heartbeat_many(step_ids bigint[], owner text, generations bigint[])
returns setof tenure.renewal
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
-- Locks: the steps' rows by id, with SKIP LOCKED: one that its own handler's open transaction holds delays no other.
declare
    v_held bigint [];
    v_hidden bigint [];
begin
    perform tenure_private.check_pairs(heartbeat_many.step_ids, heartbeat_many.owner, heartbeat_many.generations);
    v_hidden := tenure_private.hidden_steps(heartbeat_many.step_ids);
    with held as materialized (
        select s.step_id
        from tenure_private.step as s
        where s.step_id = any(heartbeat_many.step_ids) and s.step_id <> all(v_hidden)
        order by s.step_id
        for no key update skip locked
    )
    select coalesce(array_agg(h.step_id), '{}') into strict v_held from held as h;
    return query
    with asked as materialized (
        select u.step_id, u.generation, u.n, h.step_id is not null as held
        from unnest(heartbeat_many.step_ids, heartbeat_many.generations) with ordinality as u (step_id, generation, n)
        left join unnest(v_held) as h (step_id) on h.step_id = u.step_id
    ),
    batch as (
        select array_agg(a.step_id order by a.n) as step_ids, array_agg(a.generation order by a.n) as generations
        from asked as a
        where a.held
    )
    select r.step_id, r.verdict, r.lease_expiry, r.time_left
    from batch as b
    cross join lateral tenure_private.renew(b.step_ids, heartbeat_many.owner, b.generations, null) as r
    where b.step_ids is not null
    union all
    -- Not held: locked by someone else, or not there at all, for this caller.
    select a.step_id, case when s.step_id is null then 'lost' else 'busy' end, null, null
    from asked as a
    left join tenure_private.step as s on s.step_id = a.step_id and s.step_id <> all(v_hidden)
    where not a.held;
end
$function$;
comment on function tenure.heartbeat_many(bigint[], text, bigint[]) is
'heartbeat for many leases of one owner, each guarded by its own generation. busy: the row is locked just now and was not waited for; it was not renewed.
Errors: TN005 owner, TN007 arrays that do not pair up.';
revoke all on function tenure.heartbeat_many(bigint[], text, bigint[]) from public;
grant execute on function tenure.heartbeat_many(bigint[], text, bigint[]) to tenure_worker;
