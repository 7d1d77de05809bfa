create or replace function tenure_private.quota_rooms(p_quota_ids int[])
returns setof tenure_private.quota_room
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    return query
    select q.quota_id, (q.capacity - coalesce(u.units, 0))::int
    from tenure_private.quota as q
    left join lateral (
        select sum(t.quota_units) as units
        from tenure_private.quota_hold as h
        join tenure_private.step as s on s.step_id = h.step_id and s.state = 'running'
        join tenure_private.track as t on t.track_id = s.track_id
        where h.quota_id = q.quota_id
    ) as u on true
    where q.quota_id = any(p_quota_ids);
end
$function$;
comment on function tenure_private.quota_rooms(int[]) is
'How many units these quotas have room for: the capacity less the units of running steps; under 0 where it was lowered. True as long as the caller holds their locks, a hint without.';
revoke all on function tenure_private.quota_rooms(int[]) from public;
