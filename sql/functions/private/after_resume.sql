create or replace function tenure_private.after_resume(p_step_ids bigint[], p_now timestamptz)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    r_step record;
begin
    for r_step in
        select s.step_id, s.track_id, s.state, s.scheduled_at, w.key
        from tenure_private.step as s
        left join tenure_private.wait as w on w.step_id = s.step_id and w.outcome is null and w.kind = 'signal'
        where s.step_id = any(p_step_ids)
        order by w.seq, s.step_id
    loop
        if r_step.state = 'available' and r_step.scheduled_at <= p_now then
            perform tenure_private.note_behind(r_step.track_id, r_step.scheduled_at);
            perform tenure_private.wake(r_step.track_id);
        elsif r_step.state = 'waiting_signal' and exists (
            select
            from tenure_private.signal as g
            join tenure_private.step as s on s.root_id = g.run_id
            join tenure_private.wait as w on w.step_id = s.step_id and w.key = r_step.key and w.signal = g.signal
            where s.step_id = r_step.step_id
        ) then
            perform tenure_private.deliver_signal(r_step.step_id, r_step.key, p_now);
        end if;
    end loop;
end
$function$;
comment on function tenure_private.after_resume(bigint[], timestamptz) is
'For steps just resumed: tells heads and workers of those due, and delivers the signals that were kept.';
revoke all on function tenure_private.after_resume(bigint[], timestamptz) from public;
