create or replace function tenure_private.find_track(
    p_queue_id int, p_priority int, p_name text, p_quota_ids int[] default null, p_quota_units int default null
)
returns int
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- Two that find none make two: a unique key would let one business transaction hold up all others on a new name.
declare
    v_track_id int;
begin
    select t.track_id into v_track_id
    from tenure_private.track as t
    where t.queue_id = p_queue_id and t.priority = p_priority and t.name = p_name
        and t.quota_ids is not distinct from p_quota_ids and t.quota_units is not distinct from p_quota_units
    order by t.track_id
    limit 1;
    if v_track_id is null then
        insert into tenure_private.track (queue_id, priority, name, quota_ids, quota_units)
        values (p_queue_id, p_priority, p_name, p_quota_ids, p_quota_units)
        returning track_id into strict v_track_id;
    end if;
    return v_track_id;
end
$function$;
comment on function tenure_private.find_track(int, int, text, int[], int) is
'The track of a name at a priority of a queue under these quotas (ids in rising order; NULL: none, and no units), made if it is new.';
revoke all on function tenure_private.find_track(int, int, text, int[], int) from public;
