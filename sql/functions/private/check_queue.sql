create or replace function tenure_private.check_queue(p_queue_id int)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_name text;
begin
    if p_queue_id = any(tenure_private.closed_queues()) then
        select q.name into strict v_name from tenure_private.queue as q where q.queue_id = p_queue_id;
        perform tenure_private.refuse(
            'queue_not_granted', 'the queue is not the caller''s to use', format('Queue %s.', v_name),
            'An operator can grant it: select tenure.grant_queue(queue, role).'
        );
    end if;
end
$function$;
comment on function tenure_private.check_queue(int) is 'Refuses (TN018) a queue that the caller may not use.';
revoke all on function tenure_private.check_queue(int) from public;
