create or replace function tenure_private.fit_tracks(p_tracks tenure_private.open_track[], p_quota_ids int[])
returns tenure_private.open_track[]
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_tracks tenure_private.open_track [];
begin
    with room as materialized (
        select r.quota_id, r.room from tenure_private.quota_rooms(p_quota_ids) as r
    )
    select array_agg(t) into strict v_tracks
    from unnest(p_tracks) as t
    join tenure_private.track as k on k.track_id = t.track_id
    where not exists (
        select
        from unnest(k.quota_ids) as u (quota_id)
        left join room as r on r.quota_id = u.quota_id
        where r.room >= k.quota_units is not true
    );
    return v_tracks;
end
$function$;
comment on function tenure_private.fit_tracks(tenure_private.open_track[], int[]) is
'Of these tracks those that need no quotas but these and have room in each for one step at least.';
revoke all on function tenure_private.fit_tracks(tenure_private.open_track[], int[]) from public;
