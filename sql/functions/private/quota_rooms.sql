create or replace function tenure_private.quota_rooms(p_quota_ids int[])
returns setof tenure_private.quota_room
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    return query
    select q.quota_id, (q.capacity - coalesce(u.units, 0))::int
    from tenure_private.quota as q
    left join lateral tenure_private.newest_hold(q.quota_id) as h on true
    left join lateral (
        select sum(t.quota_units) as units
        from tenure_private.step as s
        join tenure_private.track as t on t.track_id = s.track_id
        where s.step_id = any(h.step_ids) and s.state = 'running'
    ) as u on true
    where q.quota_id = any(p_quota_ids);
end
$function$;
comment on function tenure_private.quota_rooms(int[]) is
'How many units these quotas have room for: the capacity less the units of running steps; under 0 where it was lowered. True as long as the caller holds their locks, a hint without.';
revoke all on function tenure_private.quota_rooms(int[]) from public;
