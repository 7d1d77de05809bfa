create or replace function tenure_private.check_definition(p_name text, p_queue text)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- A definition says where steps of its name go. Who could move a name out of another's queue would get that one's work.
begin
    perform tenure_private.check_queue(q.queue_id)
    from tenure_private.queue as q
    left join tenure_private.definition as d on d.name = p_name
    where q.name in (p_queue, d.queue)
        or (q.name = 'default' and d.name is not null and (d.queue is null) <> (p_queue is null))
    order by q.name = 'default';
end
$function$;
comment on function tenure_private.check_definition(text, text) is
'Refuses (TN018) to define a name for a queue that the caller may not use, or to take it away from one.';
revoke all on function tenure_private.check_definition(text, text) from public;
