create or replace function tenure_private.pick(p_tracks tenure_private.open_track[], p_room int, p_now timestamptz)
returns tenure_private.picked
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- volatile: it locks what it reads.
-- The one way in which steps are chosen. Lane by lane in order of priority; the tracks of a lane are merged by
-- first sharing out how many each is to give, then locking that many of each. Only where another claimer has some
-- of them does a round come back short: then the tracks that gave all they were asked for are asked again.
declare
    -- Where there are no quotas that is all that is asked.
    v_limited constant boolean = exists (select from tenure_private.quota as q) and exists (
        select
        from unnest(p_tracks) as t
        join tenure_private.track as k on k.track_id = t.track_id
        where k.quota_ids is not null
    );
    v_picked tenure_private.picked;
    v_lane tenure_private.open_track [];
    v_shares tenure_private.share [];
    v_step_ids bigint [];
    v_track_ids int [];
    v_room int;
    r_lane record;
begin
    v_picked.step_ids := '{}';
    v_picked.track_ids := '{}';
    for r_lane in
        select array_agg(t) as tracks from unnest(p_tracks) as t group by t.priority order by t.priority
    loop
        v_lane := r_lane.tracks;
        loop
            v_room := p_room - cardinality(v_picked.step_ids);
            exit when v_room = 0 or v_lane is null;
            if v_limited then
                v_shares := tenure_private.ration(v_lane, v_picked, v_room, p_now);
            else
                v_shares := tenure_private.share_out(v_lane, v_picked.step_ids, v_room, p_now);
            end if;
            with locked as materialized (
                select w.track_id, s.step_id
                from unnest(v_shares) as w
                cross join lateral (
                    select s.step_id
                    from tenure_private.step as s
                    where s.track_id = w.track_id and s.state = 'available' and s.scheduled_at >= w.head
                        and s.scheduled_at <= p_now
                        and tenure_private.in_time(p_now, least(s.deadline_at, s.group_limit_at), s.start_by)
                        and s.step_id <> all(v_picked.step_ids)
                    order by s.scheduled_at, s.step_id
                    limit w.wanted
                    for no key update skip locked
                ) as s
            )
            select array_agg(l.step_id), array_agg(l.track_id) into strict v_step_ids, v_track_ids from locked as l;
            v_picked.step_ids := v_picked.step_ids || v_step_ids;
            v_picked.track_ids := v_picked.track_ids || v_track_ids;
            exit when cardinality(v_lane) = 1 or v_shares is null;
            v_lane := tenure_private.ask_again(v_lane, v_shares, v_track_ids);
        end loop;
    end loop;
    if v_limited then
        perform tenure_private.hold_units(v_picked);
    end if;
    return v_picked;
end
$function$;
comment on function tenure_private.pick(tenure_private.open_track[], int, timestamptz) is
'Locks up to p_room due steps of these tracks, by priority, then scheduled_at, then id, and returns them. Waits for nobody.';
revoke all on function tenure_private.pick(tenure_private.open_track[], int, timestamptz) from public;
