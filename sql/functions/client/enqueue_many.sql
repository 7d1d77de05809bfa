create or replace function tenure.enqueue_many(steps jsonb)
returns setof bigint
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
-- Steps of one policy are inserted together, and their policy is resolved once.
-- Locks: the rows of the idempotency keys, all of them first, in order of name and key.
declare
    v_now timestamptz;
    v_ids bigint [];
    v_new_ids bigint [];
    v_settings tenure_private.settings;
    r_group record;
begin
    perform tenure_private.check_items(enqueue_many.steps);
    -- The transaction id before the clock: see raise_head().
    perform pg_current_xact_id();
    v_now := tenure_private.clock();
    select array_agg(tenure_private.new_step_id()) into strict v_new_ids
    from generate_series(1, jsonb_array_length(enqueue_many.steps));
    v_ids := tenure_private.take_keys(enqueue_many.steps, v_new_ids, v_now);
    for r_group in
        with item as materialized (
            select i.n::int as n, i.item
            from jsonb_array_elements(enqueue_many.steps) with ordinality as i (item, n)
        )
        select
            i.item - array['input', 'headers', 'idempotency_key', 'scheduled_at', 'delay'] as policy,
            array_agg(v_new_ids[i.n] order by i.n) as ids,
            array_agg(coalesce(i.item -> 'input', '{}') order by i.n) as inputs,
            array_agg(nullif(i.item -> 'headers', 'null') order by i.n) as headers,
            array_agg(i.item ->> 'scheduled_at' order by i.n) as scheduled_at,
            array_agg(i.item ->> 'delay' order by i.n) as delays
        from item as i
        where v_ids[i.n] = v_new_ids[i.n]
        group by 1
    loop
        v_settings := tenure_private.resolve_policy(r_group.policy);
        perform tenure_private.check_queue(v_settings.queue_id, r_group.policy ->> 'queue');
        perform tenure_private.check_size(
            'input', (select max(pg_column_size(i.value)) from unnest(r_group.inputs) as i (value))
        );
        perform tenure_private.check_headers(h.value)
        from unnest(r_group.headers) as h (value)
        where h.value is not null;
        perform tenure_private.limit_keys(r_group.ids, v_now, v_settings.idempotency_period);
        perform tenure_private.insert_steps(
            v_settings, r_group.ids, r_group.inputs, r_group.headers,
            tenure_private.due_from_texts(r_group.scheduled_at, r_group.delays, v_now), v_now
        );
    end loop;
    return query select u.id from unnest(v_ids) with ordinality as u (id, n) order by u.n;
end
$function$;
comment on function tenure.enqueue_many(jsonb) is
'Enqueues an array of objects whose keys are the parameters of enqueue, and returns their run_ids in the order given. All or none: one malformed object refuses the call.
Errors: as enqueue; TN007 for an unknown key or a value of the wrong type.';
revoke all on function tenure.enqueue_many(jsonb) from public;
grant execute on function tenure.enqueue_many(jsonb) to tenure_client;
