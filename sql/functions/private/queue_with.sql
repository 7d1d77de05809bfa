create or replace function tenure_private.queue_with(
    p_queue tenure_private.queue,
    p_timeout_default interval,
    p_timeout_floor interval,
    p_timeout_ceiling interval,
    p_retention interval,
    p_discarded_retention interval
)
returns tenure_private.queue
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_queue tenure_private.queue := p_queue;
begin
    v_queue.timeout_default := coalesce(
        tenure_private.duration(p_timeout_default, 'timeout_default'), p_queue.timeout_default
    );
    v_queue.timeout_floor := coalesce(tenure_private.duration(p_timeout_floor, 'timeout_floor'), p_queue.timeout_floor);
    v_queue.timeout_ceiling := coalesce(
        tenure_private.duration(p_timeout_ceiling, 'timeout_ceiling'), p_queue.timeout_ceiling
    );
    v_queue.retention := coalesce(tenure_private.duration(p_retention, 'retention'), p_queue.retention);
    v_queue.discarded_retention := coalesce(
        tenure_private.duration(p_discarded_retention, 'discarded_retention'), p_queue.discarded_retention
    );
    if v_queue.timeout_floor > v_queue.timeout_ceiling or v_queue.timeout_default < v_queue.timeout_floor
        or v_queue.timeout_default > v_queue.timeout_ceiling
    then
        perform tenure_private.refuse(
            'argument_invalid', 'the bounds of the timeout contradict each other',
            format(
                'default %s, floor %s, ceiling %s.',
                v_queue.timeout_default, v_queue.timeout_floor, v_queue.timeout_ceiling
            ),
            'The default lies between floor and ceiling.'
        );
    end if;
    return v_queue;
end
$function$;
comment on function tenure_private.queue_with(tenure_private.queue, interval, interval, interval, interval, interval) is
'A queue''s settings with those given put in; refuses what contradicts itself (TN007) or is no duration (TN006).';
revoke all on function tenure_private.queue_with(
    tenure_private.queue, interval, interval, interval, interval, interval
) from public;
