create or replace function tenure_private.queue_name(p_track_id int)
returns text
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_name text;
begin
    select q.name into strict v_name
    from tenure_private.track as t
    join tenure_private.queue as q on q.queue_id = t.queue_id
    where t.track_id = p_track_id;
    return v_name;
end
$function$;
comment on function tenure_private.queue_name(int) is 'The queue of a track.';
revoke all on function tenure_private.queue_name(int) from public;
