create or replace function tenure_private.duration(p_value interval, p_what text)
returns interval
language plpgsql immutable parallel safe strict
set search_path = pg_catalog, pg_temp
as $function$
-- PostgreSQL wraps very large intervals into the past without an error, and adds a day as 23 h across DST:
-- so only plain durations get in, and they are kept as seconds alone.
declare
    v_seconds numeric;
begin
    -- Infinite intervals (from PostgreSQL 17) have no length in seconds.
    if not isfinite(p_value) then
        perform tenure_private.refuse(
            'duration_invalid', format('%s must be finite', p_what), format('Given: %s.', p_value),
            'Leave it out where there is to be no limit.'
        );
    end if;
    v_seconds := extract(epoch from p_value);
    if extract(year from p_value) <> 0 or extract(month from p_value) <> 0 then
        perform tenure_private.refuse(
            'duration_invalid', format('%s must not have months or years', p_what), format('Given: %s.', p_value),
            'Months and years have no fixed length; give days, hours or seconds.'
        );
    elsif v_seconds < 0 then
        perform tenure_private.refuse(
            'duration_invalid', format('%s must not be negative', p_what), format('Given: %s.', p_value),
            'Give a duration of zero or more.'
        );
    elsif v_seconds > 3155760000 then
        perform tenure_private.refuse(
            'duration_invalid', format('%s is longer than 100 years', p_what), format('Given: %s.', p_value),
            'Leave it out where there is to be no limit.'
        );
    end if;
    return (v_seconds * 1000000)::double precision * interval '1 microsecond';
end
$function$;
comment on function tenure_private.duration(interval, text) is
'The same length as an interval of pure seconds; a day is 24 h. Refuses (TN006) months, years, negative, infinite and over 100 years. NULL stays NULL.';
revoke all on function tenure_private.duration(interval, text) from public;
