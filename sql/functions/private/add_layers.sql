create or replace function tenure_private.add_layers(p_step_ids bigint[], p_policy jsonb, p_now timestamptz)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    insert into tenure_private.layer (step_id, position, kind, span, attempts, backoff, begun, entered_at)
    select
        u.step_id, l.position, l.kind, l.span, l.attempts, l.backoff, l.begun,
        case when l.entered_at is not null then p_now end
    from unnest(p_step_ids) as u (step_id)
    cross join tenure_private.policy_layers(p_policy) as l;
end
$function$;
comment on function tenure_private.add_layers(bigint[], jsonb, timestamptz) is
'Lets new steps enter the layers of a policy in its normal form.';
revoke all on function tenure_private.add_layers(bigint[], jsonb, timestamptz) from public;
