create or replace function tenure_private.hidden_steps(p_step_ids bigint[])
returns bigint[]
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- A step keeps its queue, so this needs no lock, and nobody waits for a row that is hidden from him. Callers on the hot
-- path look first whether there is any grant at all.
declare
    v_closed constant int [] = tenure_private.closed_queues();
    v_hidden bigint [];
begin
    select coalesce(array_agg(s.step_id), '{}') into strict v_hidden
    from tenure_private.step as s
    join tenure_private.track as t on t.track_id = s.track_id
    where s.step_id = any(p_step_ids) and t.queue_id = any(v_closed);
    return v_hidden;
end
$function$;
comment on function tenure_private.hidden_steps(bigint[]) is
'Those of these steps that lie in queues which the caller may not use: for it they are not there.';
revoke all on function tenure_private.hidden_steps(bigint[]) from public;
