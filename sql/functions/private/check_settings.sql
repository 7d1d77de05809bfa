create or replace function tenure_private.check_settings(
    p_priority int,
    p_timeout interval,
    p_deadline interval,
    p_max_attempts int,
    p_backoff jsonb,
    p_max_reclaims int,
    p_on_timeout text,
    p_start_within interval,
    p_progress_timeout interval,
    p_idempotency_period interval
)
returns tenure_private.settings
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_settings tenure_private.settings;
begin
    if p_priority not between -100 and 100 then
        perform tenure_private.refuse(
            'argument_invalid', 'priority is out of range',
            format('Given: %s.', p_priority), 'Give -100 (first) to 100 (last).'
        );
    elsif p_on_timeout not in ('abandon', 'wait') then
        perform tenure_private.refuse(
            'argument_invalid', 'on_timeout is unknown', format('Given: %s.', p_on_timeout), 'Give abandon or wait.'
        );
    elsif p_max_reclaims < -1 then
        perform tenure_private.refuse(
            'argument_invalid', 'max_reclaims is out of range', format('Given: %s.', p_max_reclaims),
            'Give 0 or more, or -1 for no bound.'
        );
    end if;
    perform tenure_private.check_backoff(p_backoff);
    -- Not said stays not said: greatest() alone would make one attempt of it.
    v_settings.max_attempts := case when p_max_attempts is not null then greatest(p_max_attempts, 1) end;
    v_settings.timeout := tenure_private.duration(p_timeout, 'timeout');
    v_settings.deadline := tenure_private.duration(p_deadline, 'deadline');
    v_settings.start_within := tenure_private.duration(p_start_within, 'start_within');
    v_settings.progress_timeout := tenure_private.duration(p_progress_timeout, 'progress_timeout');
    v_settings.idempotency_period := tenure_private.duration(p_idempotency_period, 'idempotency_period');
    return v_settings;
end
$function$;
comment on function tenure_private.check_settings(
    int, interval, interval, int, jsonb, int, text, interval, interval, interval
) is 'Refuses a malformed policy, of a call or of a definition; durations come back as pure seconds.';
revoke all on function tenure_private.check_settings(
    int, interval, interval, int, jsonb, int, text, interval, interval, interval
) from public;
