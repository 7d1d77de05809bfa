create or replace function tenure_private.log_group(
    p_step tenure_private.step, p_group tenure_private.step_group, p_now timestamptz
)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- A group has no generations: here its attempts take their place.
begin
    insert into tenure_private.attempt (step_id, generation, attempt, owner, started_at, ended_at, kind, error)
    values (
        p_step.step_id, p_step.attempt, p_step.attempt, null, p_step.started_at, p_now,
        p_group.error_kind, p_group.error
    )
    -- Reopened by an operator and failed once more: the same attempt.
    on conflict on constraint attempt_pkey do update
    set ended_at = excluded.ended_at, kind = excluded.kind, error = excluded.error;
end
$function$;
comment on function tenure_private.log_group(tenure_private.step, tenure_private.step_group, timestamptz) is
'Keeps when and why the attempt of a group that is ending without success began and ended.';
revoke all on function tenure_private.log_group(
    tenure_private.step, tenure_private.step_group, timestamptz
) from public;
