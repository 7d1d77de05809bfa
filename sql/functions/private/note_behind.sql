create or replace function tenure_private.note_behind(p_track_id int, p_scheduled_at timestamptz)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- The caller has its transaction id and has not committed. A head that it sees at or before p_scheduled_at cannot
-- pass it while the caller runs, unless by a mark that was set before the caller's transaction began.
-- A note that it sees covers it as well: the fold drops the mark, and the next mark waits for the caller.
declare
    v_head constant tenure_private.head := tenure_private.newest_head(p_track_id);
    v_reach timestamptz := coalesce(v_head.head, '-infinity');
begin
    if v_head.mark_xmax <= pg_current_xact_id() then
        v_reach := greatest(v_reach, v_head.mark_at);
    end if;
    if p_scheduled_at < v_reach and not exists (
        select from tenure_private.behind as b where b.track_id = p_track_id and b.scheduled_at <= p_scheduled_at
    ) then
        insert into tenure_private.behind (track_id, scheduled_at) values (p_track_id, p_scheduled_at);
    end if;
end
$function$;
comment on function tenure_private.note_behind(int, timestamptz) is
'Says that a step is becoming available at an instant that its track''s head may have passed. Needed for every scheduled_at before the caller''s clock.';
revoke all on function tenure_private.note_behind(int, timestamptz) from public;
