create or replace function tenure_private.raise_heads(
    p_tracks tenure_private.open_track [], p_picked bigint [], p_now timestamptz
)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- Twenty milliseconds are given here too, so that a busy claim does not ask each of its tracks.
declare
    v_busy boolean;
    r_track record;
begin
    for r_track in
        select t.track_id, t.mark_at
        from unnest(p_tracks) as t
        where t.mark_at is null or p_now not between t.mark_at and t.mark_at + interval '20 milliseconds'
    loop
        select exists (
            select from tenure_private.step as s where s.step_id = any(p_picked) and s.track_id = r_track.track_id
        ) into strict v_busy;
        if v_busy or r_track.mark_at is not null then
            perform tenure_private.raise_head(r_track.track_id, p_now, v_busy);
        end if;
    end loop;
end
$function$;
comment on function tenure_private.raise_heads(tenure_private.open_track [], bigint [], timestamptz) is
'Moves on the heads of the tracks that a claim read, where it took something or a mark is waiting.';
revoke all on function tenure_private.raise_heads(tenure_private.open_track [], bigint [], timestamptz) from public;
