create or replace function tenure_private.next_in_layers(p_step_id bigint, p_now timestamptz, p_delay interval)
returns timestamptz
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- The nearest retry that has attempts left takes it, unless a timeout around it has passed: then one farther out.
-- What is inside that retry begins anew, and is entered when the attempt is due.
-- The caller holds the step, and lands the outcome.
declare
    v_retry tenure_private.layer;
    v_due_at timestamptz;
begin
    select l.* into v_retry
    from tenure_private.layer as l
    where l.step_id = p_step_id and l.begun < l.attempts and not exists (
        select
        from tenure_private.layer as o
        where o.step_id = p_step_id and o.position < l.position and o.entered_at + o.span <= p_now
    )
    order by l.position desc
    limit 1;
    if v_retry.step_id is null then
        return null;
    end if;
    v_due_at := p_now + coalesce(p_delay, tenure_private.backoff(v_retry.backoff, v_retry.begun, random()));
    update tenure_private.layer as l
    set begun = case when l.kind = 'retry' then 1 end,
        entered_at = case when l.entered_at is not null then v_due_at end
    where l.step_id = p_step_id and l.position > v_retry.position;
    update tenure_private.layer as l
    set begun = l.begun + 1
    where l.step_id = p_step_id and l.position = v_retry.position;
    perform tenure_private.set_limits(array[p_step_id]);
    return v_due_at;
end
$function$;
comment on function tenure_private.next_in_layers(bigint, timestamptz, interval) is
'Consumes an attempt of a step with layers and returns when the next is due; NULL: there is none. p_delay: asked for by the handler, NULL: the layer''s.';
revoke all on function tenure_private.next_in_layers(bigint, timestamptz, interval) from public;
