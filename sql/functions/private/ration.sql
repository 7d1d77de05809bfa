create or replace function tenure_private.ration(
    p_lane tenure_private.open_track[], p_picked tenure_private.picked, p_room int, p_now timestamptz
)
returns tenure_private.share[]
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- Step by step in the order of the lane: what fits into its quotas is taken, what does not stands in no other's way.
declare
    v_quota_ids int [];
    v_rooms int [];
    v_shares tenure_private.share [];
    v_track_ids int [] := array[]::int [];
    v_fits boolean;
    v_quota_id int;
    r_step record;
begin
    -- What this claim has picked is not running yet, so it is not in the rooms.
    select array_agg(r.quota_id), array_agg((r.room - coalesce(p.units, 0))::int) into strict v_quota_ids, v_rooms
    from tenure_private.quota_rooms(
        array(
            select u.quota_id
            from unnest(p_lane) as t
            join tenure_private.track as k on k.track_id = t.track_id
            cross join unnest(k.quota_ids) as u (quota_id)
        )
    ) as r
    left join (
        select u.quota_id, sum(k.quota_units) as units
        from unnest(p_picked.track_ids) as g (track_id)
        join tenure_private.track as k on k.track_id = g.track_id
        cross join unnest(k.quota_ids) as u (quota_id)
        group by u.quota_id
    ) as p on p.quota_id = r.quota_id;
    -- No track can give more than this.
    v_shares := tenure_private.share_out(
        array(
            select t
            from unnest(p_lane) as t
            join tenure_private.track as k on k.track_id = t.track_id
            where k.quota_ids is null
        ),
        p_picked.step_ids, p_room, p_now
    );
    v_shares := v_shares || array(
        select row(t.track_id, t.head, p_room)::tenure_private.share
        from unnest(p_lane) as t
        join tenure_private.track as k on k.track_id = t.track_id
        where k.quota_ids is not null
    );
    for r_step in
        select w.track_id, coalesce(k.quota_ids, '{}') as quota_ids, k.quota_units
        from unnest(v_shares) as w
        join tenure_private.track as k on k.track_id = w.track_id
        cross join lateral (
            select s.scheduled_at, s.step_id
            from tenure_private.step as s
            where s.track_id = w.track_id and s.state = 'available' and s.scheduled_at >= w.head
                and s.scheduled_at <= p_now
                and tenure_private.in_time(p_now, least(s.deadline_at, s.group_limit_at), s.start_by)
                and s.step_id <> all(p_picked.step_ids)
            order by s.scheduled_at, s.step_id
            limit w.wanted
        ) as s
        order by s.scheduled_at, s.step_id
    loop
        exit when cardinality(v_track_ids) = p_room;
        v_fits := true;
        foreach v_quota_id in array r_step.quota_ids loop
            v_fits := v_fits and v_rooms[array_position(v_quota_ids, v_quota_id)] >= r_step.quota_units;
        end loop;
        continue when not v_fits;
        foreach v_quota_id in array r_step.quota_ids loop
            v_rooms[array_position(v_quota_ids, v_quota_id)]
                := v_rooms[array_position(v_quota_ids, v_quota_id)] - r_step.quota_units;
        end loop;
        v_track_ids := v_track_ids || r_step.track_id;
    end loop;
    return (
        select array_agg(row(w.track_id, w.head, g.wanted)::tenure_private.share)
        from (
            select u.track_id, count(*)::int as wanted
            from unnest(v_track_ids) as u (track_id)
            group by u.track_id
        ) as g
        join unnest(v_shares) as w on w.track_id = g.track_id
    );
end
$function$;
comment on function tenure_private.ration(tenure_private.open_track[], tenure_private.picked, int, timestamptz) is
'share_out() for a lane in which quotas, which the caller has locked, bound some of the tracks.';
revoke all on function tenure_private.ration(
    tenure_private.open_track[], tenure_private.picked, int, timestamptz
) from public;
