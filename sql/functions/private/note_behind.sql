create or replace function tenure_private.note_behind(p_track_id int, p_scheduled_at timestamptz)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- While the caller holds the track's lock shared nobody moves its head, sets a mark or folds its notes; and who does
-- so later sees what the caller has committed. So under the lock a head or a note at or before p_scheduled_at covers
-- it. Without the lock nothing is certain: a mark or a fold that is not seen yet may be about to commit.
-- Locks: the track's advisory lock shared, tried.
declare
    v_head tenure_private.head;
begin
    if current_setting('transaction_isolation') = 'read committed'
        and pg_try_advisory_xact_lock_shared(tenure_private.head_lock(), p_track_id)
    then
        v_head := tenure_private.newest_head(p_track_id);
        if p_scheduled_at >= v_head.head is not false or exists (
            select from tenure_private.behind as b where b.track_id = p_track_id and b.scheduled_at <= p_scheduled_at
        ) then
            return;
        end if;
    end if;
    insert into tenure_private.behind (track_id, scheduled_at) values (p_track_id, p_scheduled_at);
end
$function$;
comment on function tenure_private.note_behind(int, timestamptz) is
'Says that a step is becoming available at an instant that its track''s head may have passed. Needed for every scheduled_at before the caller''s clock.';
revoke all on function tenure_private.note_behind(int, timestamptz) from public;
