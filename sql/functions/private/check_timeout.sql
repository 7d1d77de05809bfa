create or replace function tenure_private.check_timeout(p_queue tenure_private.queue, p_timeout interval)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    if p_timeout < p_queue.timeout_floor or p_timeout > p_queue.timeout_ceiling then
        perform tenure_private.refuse(
            'timeout_out_of_bounds', 'timeout is out of the bounds of its queue',
            format(
                'Given: %s; queue %s: from %s to %s.', p_timeout, p_queue.name,
                coalesce(p_queue.timeout_floor::text, 'any'), coalesce(p_queue.timeout_ceiling::text, 'any')
            ),
            'Give a timeout within them, or use another queue.'
        );
    end if;
end
$function$;
comment on function tenure_private.check_timeout(tenure_private.queue, interval) is
'Refuses (TN009) a timeout outside its queue''s floor and ceiling.';
revoke all on function tenure_private.check_timeout(tenure_private.queue, interval) from public;
