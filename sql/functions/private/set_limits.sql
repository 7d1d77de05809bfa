create or replace function tenure_private.set_limits(p_step_ids bigint[])
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    update tenure_private.step as s
    set deadline_at = n.nearest_at,
        timeout = n.timeout
    from (
        select
            l.step_id,
            min(l.entered_at + l.span) as nearest_at,
            min(l.span) filter (where l.entered_at is null) as timeout
        from tenure_private.layer as l
        where l.step_id = any(p_step_ids)
        group by l.step_id
    ) as n
    where s.step_id = n.step_id;
end
$function$;
comment on function tenure_private.set_limits(bigint[]) is
'Puts the limits of steps with layers where claims, reports and alarms look for them: the nearest into deadline_at, that of each execution into timeout.';
revoke all on function tenure_private.set_limits(bigint[]) from public;
