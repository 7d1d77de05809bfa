create or replace function tenure_private.find_queue(p_name text)
returns tenure_private.queue
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_queue tenure_private.queue;
begin
    perform tenure_private.check_name(p_name, 'queue');
    select q.* into v_queue from tenure_private.queue as q where q.name = p_name;
    if v_queue.queue_id is null then
        perform tenure_private.refuse(
            'queue_unknown', 'there is no such queue',
            format('Queue %s.', p_name), 'Make it first: select tenure.create_queue(name).'
        );
    end if;
    return v_queue;
end
$function$;
comment on function tenure_private.find_queue(text) is 'The queue of this name; refuses (TN003) an unknown one.';
revoke all on function tenure_private.find_queue(text) from public;
