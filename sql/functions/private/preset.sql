create or replace function tenure_private.preset(p_name text)
returns tenure_private.queue
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_queue tenure_private.queue;
begin
    v_queue.retention := interval '168 hours';
    v_queue.discarded_retention := interval '720 hours';
    if p_name = 'delivery' then
        v_queue.timeout_default := interval '30 seconds';
        v_queue.timeout_floor := interval '100 milliseconds';
        v_queue.timeout_ceiling := interval '900 seconds';
    elsif p_name is not null then
        perform tenure_private.refuse(
            'argument_invalid', 'preset is unknown', format('Given: %s.', p_name), 'Give delivery, or none.'
        );
    end if;
    return v_queue;
end
$function$;
comment on function tenure_private.preset(text) is 'The settings that a new queue starts from.';
revoke all on function tenure_private.preset(text) from public;
