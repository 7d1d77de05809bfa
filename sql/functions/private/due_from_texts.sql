create or replace function tenure_private.due_from_texts(p_scheduled_at text[], p_delays text[], p_now timestamptz)
returns timestamptz[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_due timestamptz [];
begin
    if num_nonnulls(variadic p_scheduled_at) = 0 and num_nonnulls(variadic p_delays) = 0 then
        return array_fill(p_now, array[cardinality(p_delays)]);
    elsif exists (select from unnest(p_scheduled_at || p_delays) as u (value) where u.value ~ '^[{[]') then
        -- Not left to the casts: PostgreSQL 15 reads {"s": 1} as an interval.
        perform tenure_private.refuse(
            'argument_invalid', 'a step has a value of the wrong type',
            'scheduled_at and delay are strings, not objects or arrays.', 'See tenure.enqueue for the types.'
        );
    end if;
    select array_agg(tenure_private.due_from(u.scheduled_at::timestamptz, u.delay::interval, p_now) order by u.n)
    into strict v_due
    from unnest(p_scheduled_at, p_delays) with ordinality as u (scheduled_at, delay, n);
    return v_due;
exception when data_exception then
    perform tenure_private.refuse(
        'argument_invalid', 'a step has a value of the wrong type',
        sqlerrm, 'See tenure.enqueue for the types.'
    );
    return null;
end
$function$;
comment on function tenure_private.due_from_texts(text[], text[], timestamptz) is 'due_from() for a batch in JSON.';
revoke all on function tenure_private.due_from_texts(text[], text[], timestamptz) from public;
