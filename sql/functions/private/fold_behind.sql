create or replace function tenure_private.fold_behind()
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- Locks: each track's advisory lock, tried; a track in use keeps its notes until the next pass.
declare
    r_note record;
begin
    if current_setting('transaction_isolation') <> 'read committed' then
        -- An old snapshot does not show the newest head.
        return;
    end if;
    for r_note in select b.track_id from tenure_private.behind as b group by b.track_id order by b.track_id loop
        continue when not pg_try_advisory_xact_lock(tenure_private.head_lock(), r_note.track_id);
        with folded as (
            delete from tenure_private.behind as b where b.track_id = r_note.track_id returning b.scheduled_at
        )
        insert into tenure_private.head (track_id, head)
        select
            r_note.track_id,
            least(min(f.scheduled_at), coalesce((tenure_private.newest_head(r_note.track_id)).head, '-infinity'))
        from folded as f
        having count(*) > 0;
    end loop;
end
$function$;
comment on function tenure_private.fold_behind() is 'Takes the noted steps into the heads of their tracks, and drops the marks made before.';
revoke all on function tenure_private.fold_behind() from public;
