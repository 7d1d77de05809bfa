create or replace function tenure_private.within_quotas(p_tracks tenure_private.open_track[], p_now timestamptz)
returns tenure_private.open_track[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- volatile: it locks what it reads.
-- Looked at without a lock first, so that a claim which finds a quota full, or nothing due that needs it, writes
-- nothing and stands in nobody's way. What counts is what ration() counts under the locks taken here, by a snapshot
-- younger than they are: all that was claimed under the quota before is committed then, and nobody else can claim.
-- Locks: the rows of these quotas in order of name, tried.
declare
    v_quota_ids int [];
    v_tracks tenure_private.open_track [];
    v_locked int [];
begin
    select array_agg(u.quota_id) into strict v_quota_ids
    from unnest(p_tracks) as t
    join tenure_private.track as k on k.track_id = t.track_id
    cross join unnest(k.quota_ids) as u (quota_id);
    v_tracks := tenure_private.fit_tracks(p_tracks, v_quota_ids);
    select array_agg(u.quota_id) into strict v_quota_ids
    from unnest(v_tracks) as t
    join tenure_private.track as k on k.track_id = t.track_id
    cross join lateral (
        select
        from tenure_private.step as s
        where s.track_id = t.track_id and s.state = 'available' and s.scheduled_at >= t.head
            and s.scheduled_at <= p_now
            and tenure_private.in_time(p_now, least(s.deadline_at, s.group_limit_at), s.start_by)
        limit 1
    ) as s
    cross join unnest(k.quota_ids) as u (quota_id);
    if v_quota_ids is not null then
        with locked as materialized (
            select q.quota_id
            from tenure_private.quota as q
            where q.quota_id = any(v_quota_ids)
            order by q.name
            for no key update skip locked
        )
        select array_agg(l.quota_id) into strict v_locked from locked as l;
    end if;
    select array_agg(t) into strict v_tracks
    from unnest(v_tracks) as t
    join tenure_private.track as k on k.track_id = t.track_id
    where k.quota_ids is null or k.quota_ids <@ v_locked;
    return v_tracks;
end
$function$;
comment on function tenure_private.within_quotas(tenure_private.open_track[], timestamptz) is
'Of these tracks those that a claim may take from now: without a quota, or with room in all their quotas, which are locked then. A quota that another claim has locked is passed over.';
revoke all on function tenure_private.within_quotas(tenure_private.open_track[], timestamptz) from public;
