create or replace function tenure_private.alarm_floor(p_now timestamptz)
returns timestamptz
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_head constant timestamptz = (tenure_private.newest_head(0)).head;
begin
    -- A floor in the future is one that was set before the clock was set back.
    return case when v_head <= p_now then v_head else '-infinity' end;
end
$function$;
comment on function tenure_private.alarm_floor(timestamptz) is 'From where alarms are read: the head of the alarm index, past the entries that an old snapshot keeps.';
revoke all on function tenure_private.alarm_floor(timestamptz) from public;
