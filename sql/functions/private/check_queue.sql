create or replace function tenure_private.check_queue(p_queue_id int, p_given text)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- It is named only to who has named it: where others' steps go is not for everybody to know.
begin
    if p_queue_id = any(tenure_private.closed_queues()) then
        perform tenure_private.refuse(
            'queue_not_granted', 'the queue is not the caller''s to use',
            case
                when exists (select from tenure_private.queue as q where q.queue_id = p_queue_id and q.name = p_given)
                then format('Queue %s.', p_given)
                else 'The queue that it would go to.'
            end,
            'An operator can grant it: select tenure.grant_queue(queue, role).'
        );
    end if;
end
$function$;
comment on function tenure_private.check_queue(int, text) is
'Refuses (TN018) a queue that the caller may not use, and says its name if that is what the caller gave.';
revoke all on function tenure_private.check_queue(int, text) from public;
