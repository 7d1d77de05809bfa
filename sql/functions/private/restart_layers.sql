create or replace function tenure_private.restart_layers(p_step_ids bigint[], p_extra_attempts int, p_now timestamptz)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- What the columns of other steps are told: the innermost retry stands for attempt and max_attempts. Before the
-- caller clears the errors, which tell whether the last attempt was consumed.
begin
    update tenure_private.layer as l
    set entered_at = case when l.entered_at is not null then p_now end
    where l.step_id = any(p_step_ids);
    update tenure_private.layer as l
    set begun = least(l.begun::bigint + tenure_private.was_consumed(s.error_kind), 2147483647)::int,
        attempts = greatest(l.attempts, least(l.begun::bigint + coalesce(p_extra_attempts, 0), 2147483647)::int)
    from tenure_private.step as s
    where s.step_id = any(p_step_ids) and s.state = 'discarded' and l.step_id = s.step_id and l.position = (
        select max(r.position) from tenure_private.layer as r where r.step_id = s.step_id and r.kind = 'retry'
    );
    perform tenure_private.set_limits(p_step_ids);
end
$function$;
comment on function tenure_private.restart_layers(bigint[], int, timestamptz) is
'Lets steps that are about to be reopened enter their layers anew; discarded ones with room for p_extra_attempts more at least (NULL: none).';
revoke all on function tenure_private.restart_layers(bigint[], int, timestamptz) from public;
