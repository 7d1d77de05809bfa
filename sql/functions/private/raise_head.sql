create or replace function tenure_private.raise_head(p_track_id int, p_now timestamptz, p_busy boolean)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- Two steps, because a transaction may commit late what it scheduled early. First a mark is set: an instant t, and
-- an id that is greater than those of all transactions which had one by t. Only when all of these have ended may the
-- head follow to t, and never past an entry that is seen then. Whoever makes a step available has its transaction
-- id before it reads the clock, so whatever it schedules before t belongs to a transaction that the mark waits for.
-- No snapshot tells such an id (its xmax is one past the last that ended, and others may run already). The marking
-- transaction's own is one if t is the instant at which that transaction began.
-- Locks: the track's advisory lock, tried; whoever finds it taken leaves the head as it is.
declare
    v_old tenure_private.head;
    v_head timestamptz;
    v_mark_at constant timestamptz = case when p_busy then tenure_private.begun_at() end;
begin
    v_old := tenure_private.newest_head(p_track_id);
    if p_now >= v_old.mark_at and p_now < v_old.mark_at + interval '20 milliseconds' then
        return;
    elsif v_old.mark_at = v_mark_at then
        -- This very transaction's: it has no better one to set.
        return;
    elsif v_old.mark_at is null and not p_busy then
        return;
    elsif current_setting('transaction_isolation') <> 'read committed' then
        -- An old snapshot shows neither the newest head nor what came since.
        return;
    elsif not pg_try_advisory_xact_lock(tenure_private.head_lock(), p_track_id) then
        return;
    end if;
    -- Once more under the lock, which keeps out other raisers, the fold, and whoever relies on the head as it is.
    v_old := tenure_private.newest_head(p_track_id);
    if v_old.mark_xid >= pg_snapshot_xmax(pg_current_snapshot())
        and v_old.mark_xid is distinct from pg_current_xact_id_if_assigned()
    then
        -- The mark of a transaction that this server has not had yet: it came with a restored dump.
        v_old.mark_at := null;
        v_old.mark_xid := null;
    end if;
    if exists (select from tenure_private.behind as b where b.track_id = p_track_id) then
        return;
    elsif v_old.mark_xid > pg_snapshot_xmin(pg_current_snapshot()) then
        -- Transactions of the mark are still open; a newer mark would only wait for more.
        return;
    elsif v_old.head > p_now or v_old.mark_at > p_now then
        -- Set before the clock was set back.
        v_old := null;
    end if;
    v_head := coalesce(v_old.head, '-infinity');
    if v_old.mark_at > v_head then
        v_head := tenure_private.first_entry(p_track_id, p_now, v_head, v_old.mark_at);
    end if;
    insert into tenure_private.head (track_id, head, mark_at, mark_xid)
    select p_track_id, v_head, m.mark_at, case when m.mark_at is not null then pg_current_xact_id() end
    from (select case when v_mark_at <= p_now then v_mark_at end as mark_at) as m;
end
$function$;
comment on function tenure_private.raise_head(int, timestamptz, boolean) is
'Moves a track''s head on as far as is safe. p_now: a clock read before this call; p_busy: entries were taken since, so a new mark is worth setting.';
revoke all on function tenure_private.raise_head(int, timestamptz, boolean) from public;
