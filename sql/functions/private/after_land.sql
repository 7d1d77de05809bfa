create or replace function tenure_private.after_land(p_outcomes tenure_private.outcome [], p_now timestamptz)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    r_track record;
begin
    for r_track in
        select s.track_id, min(o.scheduled_at) as scheduled_at
        from unnest(p_outcomes) as o
        join tenure_private.step as s on s.step_id = o.step_id
        where o.state = 'available' and s.state = 'available' and o.scheduled_at <= p_now
        group by s.track_id
        order by s.track_id
    loop
        perform tenure_private.note_behind(r_track.track_id, r_track.scheduled_at);
        perform tenure_private.wake(r_track.track_id);
    end loop;
end
$function$;
comment on function tenure_private.after_land(tenure_private.outcome [], timestamptz) is
'For steps that became claimable at once: tells their tracks'' heads, and one waiting worker a track.';
revoke all on function tenure_private.after_land(tenure_private.outcome [], timestamptz) from public;
