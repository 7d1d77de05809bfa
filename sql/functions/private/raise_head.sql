create or replace function tenure_private.raise_head(p_track_id int, p_now timestamptz, p_busy boolean)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
as $function$
-- Two steps, because a transaction may commit late what it scheduled early. First a mark is set: clock t, and the
-- transactions begun by then. Only when all of those have ended may the head follow to t, and never past an entry
-- that is seen then. Whoever makes a step available has its transaction id before it reads the clock, so whatever
-- it schedules before t belongs to a transaction begun by t.
-- Locks: the track's advisory lock, tried; whoever finds it taken leaves the head as it is.
declare
    v_old tenure_private.head;
    v_head timestamptz;
    v_xmax xid8;
begin
    v_old := tenure_private.newest_head(p_track_id);
    if p_now >= v_old.mark_at and p_now < v_old.mark_at + interval '20 milliseconds' then
        return;
    elsif v_old.mark_at is null and not p_busy then
        return;
    elsif not pg_try_advisory_xact_lock(tenure_private.head_lock(), p_track_id) then
        return;
    end if;
    -- Once more under the lock, which keeps out other raisers and the fold.
    v_old := tenure_private.newest_head(p_track_id);
    v_head := coalesce(v_old.head, '-infinity');
    if exists (select from tenure_private.behind as b where b.track_id = p_track_id) then
        return;
    elsif v_old.mark_xmax > pg_snapshot_xmin(pg_current_snapshot()) then
        -- Transactions of the mark are still open; a newer mark would only wait for more.
        return;
    elsif v_old.mark_at is not null then
        v_head := greatest(v_head, tenure_private.first_entry(p_track_id, p_now, v_head, v_old.mark_at));
    end if;
    v_xmax := pg_snapshot_xmax(pg_current_snapshot());
    insert into tenure_private.head (track_id, head, mark_at, mark_xmax)
    values (p_track_id, v_head, case when p_busy then p_now end, case when p_busy then v_xmax end);
end
$function$;
comment on function tenure_private.raise_head(int, timestamptz, boolean) is
'Moves a track''s head on as far as is safe. p_now: a clock read before this call; p_busy: entries were taken since, so a new mark is worth setting.';
revoke all on function tenure_private.raise_head(int, timestamptz, boolean) from public;
