create or replace function tenure.pause_queue(name text)
returns void
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
begin
    perform tenure_private.find_queue(pause_queue.name);
    update tenure_private.queue as q set paused_at = coalesce(q.paused_at, tenure_private.clock())
    where q.name = pause_queue.name;
end
$function$;
comment on function tenure.pause_queue(text) is
'Stops claims from a queue, and no clock: running steps go on, timeouts and deadlines count.
Errors: TN003 unknown queue.';
revoke all on function tenure.pause_queue(text) from public;
grant execute on function tenure.pause_queue(text) to tenure_operator;
