create or replace function tenure_private.rearm(p_floor timestamptz, p_now timestamptz)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- Locks: the steps' rows, by SKIP LOCKED. Nothing but the alarm is written, so the runs' locks are not needed.
-- In sets of a thousand: a row costs half of what it does in sets of a hundred.
declare
    v_count int;
begin
    loop
        with due as materialized (
            select s.step_id
            from tenure_private.step as s
            where s.alarm_at >= p_floor and s.alarm_at <= p_now and s.state = 'running' and s.lease_expiry > p_now
                and (
                    tenure_private.limit_passed(
                        p_now, s.deadline_at, s.started_at, s.timeout, s.progress_at, s.progress_timeout
                    ) is null
                    or (s.on_timeout = 'wait' and (s.deadline_at is null or s.deadline_at > p_now))
                )
            order by s.alarm_at
            limit 1000
            for no key update skip locked
        )
        update tenure_private.step as s
        set alarm_at = tenure_private.next_alarm(
                p_now, s.state, s.lease_expiry, s.on_timeout, s.started_at, s.timeout, s.progress_at,
                s.progress_timeout, s.deadline_at, s.start_by, s.due_at
            )
        from due as d
        where s.step_id = d.step_id;
        get diagnostics v_count = row_count;
        exit when v_count < 1000;
    end loop;
end
$function$;
comment on function tenure_private.rearm(timestamptz, timestamptz) is
'Sets anew the due alarms of running steps that have lease and time left.';
revoke all on function tenure_private.rearm(timestamptz, timestamptz) from public;
