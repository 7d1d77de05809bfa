create or replace function tenure_private.ask_again(
    p_lane tenure_private.open_track[], p_shares tenure_private.share[], p_track_ids int[]
)
returns tenure_private.open_track[]
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_lane tenure_private.open_track [];
begin
    select array_agg(t) into strict v_lane
    from unnest(p_lane) as t
    where not exists (
        select
        from unnest(p_shares) as w
        where w.track_id = t.track_id
            and w.wanted > (select count(*) from unnest(p_track_ids) as g (track_id) where g.track_id = w.track_id)
    )
    -- All that was wanted was there: nothing is left to ask for.
    and (select sum(w.wanted) from unnest(p_shares) as w) > coalesce(cardinality(p_track_ids), 0);
    return v_lane;
end
$function$;
comment on function tenure_private.ask_again(tenure_private.open_track[], tenure_private.share[], int[]) is
'The tracks of a lane that may have more after a round in which others gave less than they were asked for; NULL: none.';
revoke all on function tenure_private.ask_again(tenure_private.open_track[], tenure_private.share[], int[]) from public;
