create or replace function tenure_private.raise_heads(
    p_tracks tenure_private.open_track[], p_track_ids int[], p_now timestamptz
)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- Twenty milliseconds are given here too, so that a busy claim does not ask each of its tracks.
declare
    r_track record;
begin
    for r_track in
        select t.track_id, g.track_id is not null as busy
        from unnest(p_tracks) as t
        left join (select distinct u.track_id from unnest(p_track_ids) as u (track_id)) as g on g.track_id = t.track_id
        where case
            when t.mark_at is null then g.track_id is not null
            else p_now not between t.mark_at and t.mark_at + interval '20 milliseconds'
        end
    loop
        perform tenure_private.raise_head(r_track.track_id, p_now, r_track.busy);
    end loop;
end
$function$;
comment on function tenure_private.raise_heads(tenure_private.open_track[], int[], timestamptz) is
'Moves on the heads of the tracks that a claim read, where it took something (p_track_ids) or a mark is waiting.';
revoke all on function tenure_private.raise_heads(tenure_private.open_track[], int[], timestamptz) from public;
