create or replace function tenure_private.look_behind(p_now timestamptz)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- The belt to the braces of raise_head(): were a step ever left behind its head, or an alarm behind the sweep's
-- floor (by a clock that went back too little to be noticed, say), it would be found here.
begin
    insert into tenure_private.behind (track_id, scheduled_at)
    select t.track_id, s.scheduled_at
    from tenure_private.track as t
    cross join lateral (select (tenure_private.newest_head(t.track_id)).head as head) as h
    cross join lateral (
        select s.scheduled_at
        from tenure_private.step as s
        where s.track_id = t.track_id and s.state = 'available' and s.scheduled_at < h.head
            and tenure_private.in_time(p_now, least(s.deadline_at, s.group_limit_at), s.start_by)
        order by s.scheduled_at
        limit 1
    ) as s
    where not exists (select from tenure_private.behind as b where b.track_id = t.track_id);
    insert into tenure_private.head (track_id, head)
    select 0, s.alarm_at
    from (select (tenure_private.newest_head(0)).head as head) as h
    cross join lateral (
        select s.alarm_at from tenure_private.step as s where s.alarm_at < h.head order by s.alarm_at limit 1
    ) as s;
end
$function$;
comment on function tenure_private.look_behind(timestamptz) is 'Notes claimable steps that lie before their track''s head, and takes the sweep''s floor back to an alarm before it.';
revoke all on function tenure_private.look_behind(timestamptz) from public;
