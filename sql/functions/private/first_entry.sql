create or replace function tenure_private.first_entry(
    p_track_id int, p_now timestamptz, p_from timestamptz, p_until timestamptz
)
returns timestamptz
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_first timestamptz;
begin
    if p_track_id = 0 then
        select s.alarm_at into v_first
        from tenure_private.step as s
        where s.alarm_at >= p_from and s.alarm_at < p_until
        order by s.alarm_at
        limit 1;
    else
        -- Expired steps are passed over for good: none of them can be claimed again without a new scheduled_at.
        select s.scheduled_at into v_first
        from tenure_private.step as s
        where s.track_id = p_track_id and s.state = 'available'
            and s.scheduled_at >= p_from and s.scheduled_at < p_until
            and tenure_private.in_time(p_now, least(s.deadline_at, s.group_limit_at), s.start_by)
        order by s.scheduled_at, s.step_id
        limit 1;
    end if;
    return coalesce(v_first, p_until);
end
$function$;
comment on function tenure_private.first_entry(int, timestamptz, timestamptz, timestamptz) is
'The first claimable step of a track (track 0: the first alarm) between two instants; the second instant where there is none.';
revoke all on function tenure_private.first_entry(int, timestamptz, timestamptz, timestamptz) from public;
