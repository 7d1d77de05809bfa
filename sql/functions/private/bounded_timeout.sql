create or replace function tenure_private.bounded_timeout(p_queue tenure_private.queue, p_timeout interval)
returns interval
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $function$
-- Nothing is refused here: a fold may be the caller.
begin
    return least(
        greatest(coalesce(p_timeout, p_queue.timeout_default, p_queue.timeout_ceiling), p_queue.timeout_floor),
        p_queue.timeout_ceiling
    );
end
$function$;
comment on function tenure_private.bounded_timeout(tenure_private.queue, interval) is
'The timeout that a policy gives to a child (NULL: none), brought within the bounds of its queue.';
revoke all on function tenure_private.bounded_timeout(tenure_private.queue, interval) from public;
