create or replace function tenure.alter_queue(
    name text,
    timeout_default interval default null,
    timeout_floor interval default null,
    timeout_ceiling interval default null,
    retention interval default null,
    discarded_retention interval default null,
    clear text[] default null
)
returns void
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
-- Locks: the queue's row.
declare
    v_queue tenure_private.queue;
begin
    perform tenure_private.find_queue(alter_queue.name);
    if not coalesce(alter_queue.clear, '{}') <@ array['timeout_default', 'timeout_floor', 'timeout_ceiling'] then
        perform tenure_private.refuse(
            'argument_invalid', 'clear names something that cannot be cleared', format('Given: %s.', alter_queue.clear),
            'Give timeout_default, timeout_floor, timeout_ceiling.'
        );
    end if;
    select q.* into strict v_queue from tenure_private.queue as q where q.name = alter_queue.name for no key update;
    v_queue.timeout_default := case
        when 'timeout_default' = any(alter_queue.clear) then null else v_queue.timeout_default
    end;
    v_queue.timeout_floor := case
        when 'timeout_floor' = any(alter_queue.clear) then null else v_queue.timeout_floor
    end;
    v_queue.timeout_ceiling := case
        when 'timeout_ceiling' = any(alter_queue.clear) then null else v_queue.timeout_ceiling
    end;
    v_queue := tenure_private.queue_with(
        v_queue, alter_queue.timeout_default, alter_queue.timeout_floor, alter_queue.timeout_ceiling,
        alter_queue.retention, alter_queue.discarded_retention
    );
    update tenure_private.queue as q
    set timeout_default = v_queue.timeout_default,
        timeout_floor = v_queue.timeout_floor,
        timeout_ceiling = v_queue.timeout_ceiling,
        retention = v_queue.retention,
        discarded_retention = v_queue.discarded_retention
    where q.queue_id = v_queue.queue_id;
end
$function$;
comment on function tenure.alter_queue(text, interval, interval, interval, interval, interval, text[]) is
'Changes settings of a queue, for steps enqueued from now on (retention: for all). NULL leaves as it is; clear: the names of timeout settings to take away.
Errors: TN003 unknown queue, TN006 durations, TN007 bounds or clear.';
revoke all on function tenure.alter_queue(text, interval, interval, interval, interval, interval, text[]) from public;
grant execute on function tenure.alter_queue(
    text, interval, interval, interval, interval, interval, text[]
) to tenure_operator;
