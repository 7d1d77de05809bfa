create or replace function tenure_private.due_from(p_scheduled_at timestamptz, p_delay interval, p_now timestamptz)
returns timestamptz
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
as $function$
begin
    if p_scheduled_at is not null and p_delay is not null then
        perform tenure_private.refuse(
            'argument_invalid', 'scheduled_at and delay exclude each other',
            format('scheduled_at: %s; delay: %s.', p_scheduled_at, p_delay), 'Give one of them, or neither for at once.'
        );
    elsif not isfinite(p_scheduled_at) or p_scheduled_at > p_now + interval '876600 hours' then
        perform tenure_private.refuse(
            'argument_invalid', 'scheduled_at is infinite or more than 100 years away',
            format('Given: %s.', p_scheduled_at),
            'Give an instant that will come.'
        );
    end if;
    return coalesce(p_scheduled_at, p_now + tenure_private.duration(p_delay, 'delay'), p_now);
end
$function$;
comment on function tenure_private.due_from(timestamptz, interval, timestamptz) is
'When a new step is due: scheduled_at, or after delay, or now; both at once and infinite instants are refused (TN007).';
revoke all on function tenure_private.due_from(timestamptz, interval, timestamptz) from public;
