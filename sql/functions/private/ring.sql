create or replace function tenure_private.ring(p_max_steps int)
returns tenure.sweep_report
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- The one loop over due alarms, oldest first. What it reads without a lock is only a hint: ring_one() decides.
-- Alarms of leases that were renewed since are set anew in sets first, and count nothing.
declare
    v_now constant timestamptz = tenure_private.clock();
    v_floor timestamptz;
    v_mark_at timestamptz;
    v_report tenure.sweep_report;
    v_moved int := 0;
    v_event text;
    r_step record;
begin
    v_report := row(0, 0, 0, 0, null::interval);
    v_floor := tenure_private.alarm_floor(v_now);
    perform tenure_private.rearm(v_floor, v_now);
    for r_step in
        select s.step_id, s.root_id
        from tenure_private.step as s
        where s.alarm_at >= v_floor and s.alarm_at <= v_now
        order by s.alarm_at
    loop
        v_event := tenure_private.ring_safely(r_step.step_id, r_step.root_id);
        v_report.reclaimed := v_report.reclaimed + (v_event = 'reclaimed')::int;
        v_report.timed_out := v_report.timed_out + (v_event in ('timed_out', 'timed_out discarded'))::int;
        v_report.discarded := v_report.discarded + (v_event in ('discarded', 'timed_out discarded'))::int;
        v_report.woken := v_report.woken + (v_event = 'woken')::int;
        v_moved := v_moved + (v_event <> 'nothing')::int;
        exit when v_moved = p_max_steps;
    end loop;
    -- Alarms go without a sweep, too: each completion takes one away. So the floor moves on once a second at least.
    v_mark_at := (tenure_private.newest_head(0)).mark_at;
    if v_moved > 0 or v_mark_at is null or v_now not between v_mark_at and v_mark_at + interval '1 second' then
        perform tenure_private.raise_head(0, v_now, true);
    end if;
    v_report.next_due_in := case
        when v_moved = p_max_steps then interval '0'
        else tenure_private.next_due_in(v_floor)
    end;
    return v_report;
end
$function$;
comment on function tenure_private.ring(int) is 'Moves on the steps whose alarm is due, at most p_max_steps of them.';
revoke all on function tenure_private.ring(int) from public;
