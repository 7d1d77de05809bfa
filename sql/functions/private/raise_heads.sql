create or replace function tenure_private.raise_heads(
    p_tracks tenure_private.open_track [], p_picked bigint [], p_now timestamptz
)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- Twenty milliseconds are given here too, so that a busy claim of many tracks does not ask each of them.
declare
    r_track record;
begin
    for r_track in
        select t.track_id, g.track_id is not null as busy
        from unnest(p_tracks) as t
        left join (
            select distinct s.track_id from tenure_private.step as s where s.step_id = any(p_picked)
        ) as g on g.track_id = t.track_id
        where case
            when t.mark_at is null then g.track_id is not null
            else p_now not between t.mark_at and t.mark_at + interval '20 milliseconds'
        end
    loop
        perform tenure_private.raise_head(r_track.track_id, p_now, r_track.busy);
    end loop;
end
$function$;
comment on function tenure_private.raise_heads(tenure_private.open_track [], bigint [], timestamptz) is
'Moves on the heads of the tracks that a claim read, where it took something or a mark is waiting.';
revoke all on function tenure_private.raise_heads(tenure_private.open_track [], bigint [], timestamptz) from public;
