create or replace function tenure_private.quota_rooms(p_quota_ids int[])
returns setof tenure_private.quota_room
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    return query
    select q.quota_id, (s.capacity - s.in_use)::int
    from tenure_private.quota as q
    join tenure.quota_status as s on s.quota = q.name
    where q.quota_id = any(p_quota_ids);
end
$function$;
comment on function tenure_private.quota_rooms(int[]) is
'How many units these quotas have room for: the capacity less the units of running steps; under 0 where it was lowered. True as long as the caller holds their locks, a hint without.';
revoke all on function tenure_private.quota_rooms(int[]) from public;
