create or replace function tenure.create_queue(
    name text,
    preset text default null,
    timeout_default interval default null,
    timeout_floor interval default null,
    timeout_ceiling interval default null,
    retention interval default null,
    discarded_retention interval default null
)
returns void
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
declare
    v_wanted tenure_private.queue;
    v_found tenure_private.queue;
begin
    perform tenure_private.check_name(create_queue.name, 'queue');
    v_wanted := tenure_private.preset(create_queue.preset);
    v_wanted := tenure_private.queue_with(
        v_wanted, create_queue.timeout_default, create_queue.timeout_floor, create_queue.timeout_ceiling,
        create_queue.retention, create_queue.discarded_retention
    );
    insert into tenure_private.queue (
        name, timeout_default, timeout_floor, timeout_ceiling, retention, discarded_retention
    )
    values (
        create_queue.name, v_wanted.timeout_default, v_wanted.timeout_floor, v_wanted.timeout_ceiling,
        v_wanted.retention, v_wanted.discarded_retention
    )
    on conflict on constraint queue_name_key do nothing;
    v_found := tenure_private.find_queue(create_queue.name);
    if (
        v_found.timeout_default, v_found.timeout_floor, v_found.timeout_ceiling, v_found.retention,
        v_found.discarded_retention
    ) is distinct from (
        v_wanted.timeout_default, v_wanted.timeout_floor, v_wanted.timeout_ceiling, v_wanted.retention,
        v_wanted.discarded_retention
    ) then
        perform tenure_private.refuse(
            'queue_differs', 'the queue is there already, with other settings', format('Queue %s.', create_queue.name),
            'Change it: select tenure.alter_queue(name, ...).'
        );
    end if;
end
$function$;
comment on function tenure.create_queue(text, text, interval, interval, interval, interval, interval) is
'Makes a queue; the same again does nothing. preset delivery: timeout 30 s, from 100 ms to 900 s; the others given beat it. retention: of finished runs, default 7 days; discarded_retention: of discarded ones, default 30 days.
Errors: TN004 it is there with other settings, TN005 name, TN006 durations, TN007 preset or bounds.';
revoke all on function tenure.create_queue(text, text, interval, interval, interval, interval, interval) from public;
grant execute on function tenure.create_queue(
    text, text, interval, interval, interval, interval, interval
) to tenure_operator;
