create or replace function tenure_private.next_due_in(p_floor timestamptz)
returns interval
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_now constant timestamptz = tenure_private.clock();
    v_next timestamptz;
begin
    select s.alarm_at into v_next
    from tenure_private.step as s
    where s.alarm_at >= p_floor
    order by s.alarm_at
    limit 1;
    -- What is due and was passed over is locked: it is worth another look, but not at once.
    return case when v_next is not null then greatest(v_next - v_now, interval '100 milliseconds') end;
end
$function$;
comment on function tenure_private.next_due_in(timestamptz) is 'How long until the next alarm, at least 100 ms; NULL: there is none.';
revoke all on function tenure_private.next_due_in(timestamptz) from public;
