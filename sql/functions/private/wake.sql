create or replace function tenure_private.wake(p_track_id int)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- A notifying commit takes a lock of the whole cluster, so nobody is notified unless somebody waits, and each
-- waiter once: its row goes with the notification. A row that another transaction is taking is passed over.
declare
    v_queue text;
    v_waiter_id bigint;
    v_channel text;
    v_now constant timestamptz = tenure_private.clock();
begin
    if not exists (select from tenure_private.waiter as w where w.expires_at > v_now) then
        return;
    end if;
    select q.name into strict v_queue
    from tenure_private.track as t
    join tenure_private.queue as q on q.queue_id = t.queue_id
    where t.track_id = p_track_id;
    select w.waiter_id, w.channel into v_waiter_id, v_channel
    from tenure_private.waiter as w
    where w.expires_at > v_now and v_queue = any(w.queues)
    limit 1
    for update skip locked;
    if v_waiter_id is not null then
        delete from tenure_private.waiter as w where w.waiter_id = v_waiter_id;
        perform pg_notify(v_channel, 'work');
    end if;
end
$function$;
comment on function tenure_private.wake(int) is 'Notifies one idle worker of the track''s queue, if there is one.';
revoke all on function tenure_private.wake(int) from public;
