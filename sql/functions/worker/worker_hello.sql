create or replace function tenure.worker_hello(owner text, queues text[], idle boolean, info jsonb default null)
returns text
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
-- An idle worker has one row in waiter, which whoever makes work deletes. That row may be locked by a business
-- transaction just now, so it is never waited for: the worker's own row is another one.
declare
    v_channel constant text = 'tenure_' || left(md5(worker_hello.owner), 16);
    v_now constant timestamptz = tenure_private.clock();
    v_until constant timestamptz = v_now + interval '15 seconds';
    v_waiter_id bigint;
begin
    perform tenure_private.check_name(worker_hello.owner, 'owner');
    perform tenure_private.check_size('report', tenure_private.document_size(worker_hello.info));
    if worker_hello.queues is null or worker_hello.idle is null then
        perform tenure_private.refuse(
            'argument_invalid', 'queues and idle must not be null',
            format(
                'queues: %s; idle: %s.',
                coalesce(worker_hello.queues::text, 'NULL'), coalesce(worker_hello.idle::text, 'NULL')
            ),
            'Say which queues are served, and whether the worker has nothing to do.'
        );
    end if;
    -- Who may not claim from a queue is not to take away its wake-ups either.
    perform tenure_private.check_queue(q.queue_id, q.name)
    from tenure_private.queue as q
    where q.name = any(worker_hello.queues);
    perform tenure_private.drop_waiter(worker_hello.owner);
    if worker_hello.idle then
        insert into tenure_private.waiter (channel, queues, expires_at)
        values (v_channel, worker_hello.queues, v_until)
        returning waiter_id into strict v_waiter_id;
    end if;
    insert into tenure_private.worker as w (owner, channel, queues, idle, info, waiter_id, hello_at, expires_at)
    values (
        worker_hello.owner, v_channel, worker_hello.queues, worker_hello.idle, worker_hello.info, v_waiter_id,
        v_now, v_until
    )
    on conflict on constraint worker_pkey do update set (queues, idle, info, waiter_id, hello_at, expires_at) = (
        excluded.queues, excluded.idle, coalesce(excluded.info, w.info), excluded.waiter_id, excluded.hello_at,
        excluded.expires_at
    );
    return v_channel;
end
$function$;
comment on function tenure.worker_hello(text, text[], boolean, jsonb) is
'Says that a worker is there, for 15 seconds, and returns the channel on which it is notified: payload work: claim now; beat: heartbeat now. idle true asks for one notification; say it again after each. It feeds worker_status; nothing else depends on it.
Errors: TN005 owner, TN007 NULLs, TN008 info over 1 MB, TN018 a queue that is not the caller''s.';
revoke all on function tenure.worker_hello(text, text[], boolean, jsonb) from public;
grant execute on function tenure.worker_hello(text, text[], boolean, jsonb) to tenure_worker;
