create or replace function tenure.resume_queue(name text)
returns void
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
declare
    v_queue constant tenure_private.queue = tenure_private.find_queue(resume_queue.name);
begin
    update tenure_private.queue as q set paused_at = null where q.queue_id = v_queue.queue_id;
    perform tenure_private.wake(t.track_id)
    from (
        select k.track_id from tenure_private.track as k where k.queue_id = v_queue.queue_id order by k.track_id limit 1
    ) as t;
end
$function$;
comment on function tenure.resume_queue(text) is 'Lets a queue be claimed from again. Errors: TN003 unknown queue.';
revoke all on function tenure.resume_queue(text) from public;
grant execute on function tenure.resume_queue(text) to tenure_operator;
