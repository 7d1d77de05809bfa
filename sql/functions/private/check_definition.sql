create or replace function tenure_private.check_definition(p_name text, p_queue text)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- A definition says where steps of its name go. Who could move a name out of another's queue would get that one's work.
-- One without a queue is for the default one.
begin
    perform tenure_private.check_queue(q.queue_id, p_queue)
    from tenure_private.queue as q
    left join tenure_private.definition as d on d.name = p_name
    where q.name = coalesce(p_queue, 'default')
        or (d.name is not null and q.name = coalesce(d.queue, 'default'))
    order by q.name is distinct from p_queue;
end
$function$;
comment on function tenure_private.check_definition(text, text) is
'Refuses (TN018) to define a name for a queue that the caller may not use, or to take it away from one.';
revoke all on function tenure_private.check_definition(text, text) from public;
