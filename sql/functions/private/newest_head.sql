create or replace function tenure_private.newest_head(p_track_id int)
returns tenure_private.head
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_head tenure_private.head;
begin
    select h.* into v_head from tenure_private.head as h where h.track_id = p_track_id order by h.seq desc limit 1;
    return v_head;
end
$function$;
comment on function tenure_private.newest_head(int) is 'The head that counts for a track; NULL where none was set yet.';
revoke all on function tenure_private.newest_head(int) from public;
