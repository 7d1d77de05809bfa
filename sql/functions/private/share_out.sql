create or replace function tenure_private.share_out(
    p_lane tenure_private.open_track[], p_picked bigint[], p_room int, p_now timestamptz
)
returns tenure_private.share[]
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- Of n wanted steps none can be in a track whose first step comes after the first steps of n other tracks.
declare
    v_shares tenure_private.share [];
begin
    if cardinality(p_lane) = 1 then
        return array[row(p_lane[1].track_id, p_lane[1].head, p_room)::tenure_private.share];
    end if;
    with first as materialized (
        select t.track_id, t.head
        from unnest(p_lane) as t
        cross join lateral (
            select s.scheduled_at, s.step_id
            from tenure_private.step as s
            where s.track_id = t.track_id and s.state = 'available' and s.scheduled_at >= t.head
                and s.scheduled_at <= p_now
                and tenure_private.in_time(p_now, least(s.deadline_at, s.group_limit_at), s.start_by)
                and s.step_id <> all(p_picked)
            order by s.scheduled_at, s.step_id
            limit 1
        ) as s
        order by s.scheduled_at, s.step_id
        limit p_room
    ),
    merged as (
        select f.track_id, f.head
        from first as f
        cross join lateral (
            select s.scheduled_at, s.step_id
            from tenure_private.step as s
            where s.track_id = f.track_id and s.state = 'available' and s.scheduled_at >= f.head
                and s.scheduled_at <= p_now
                and tenure_private.in_time(p_now, least(s.deadline_at, s.group_limit_at), s.start_by)
                and s.step_id <> all(p_picked)
            order by s.scheduled_at, s.step_id
            limit p_room
        ) as s
        order by s.scheduled_at, s.step_id
        limit p_room
    )
    select array_agg(g) into strict v_shares
    from (select m.track_id, m.head, count(*)::int as wanted from merged as m group by m.track_id, m.head) as n
    cross join lateral (select row(n.track_id, n.head, n.wanted)::tenure_private.share as g) as g;
    return v_shares;
end
$function$;
comment on function tenure_private.share_out(tenure_private.open_track[], bigint[], int, timestamptz) is
'How many of the next p_room due steps of a lane lie in each of its tracks; NULL: none is due.';
revoke all on function tenure_private.share_out(tenure_private.open_track[], bigint[], int, timestamptz) from public;
