create or replace function tenure_private.log_attempts(
    p_step_ids bigint[], p_outcome tenure_private.outcome, p_now timestamptz
)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- A step that fails for ever must not fill the disk: behind its last hundred errors only their first words stay.
begin
    insert into tenure_private.attempt (step_id, generation, attempt, owner, started_at, ended_at, kind, error)
    select s.step_id, s.lease_generation, s.attempt,
        coalesce(s.lease_owner, regexp_replace(s.reported, '^\S+ \S+ ', '')), s.started_at, p_now,
        p_outcome.ends_attempt, p_outcome.error
    from tenure_private.step as s
    where s.step_id = any(p_step_ids) and s.lease_generation > 0
    -- An attempt that sleeps, waits or is back in line ends with its step. Where the last execution ended an attempt,
    -- its row is there, and the next has not begun.
    on conflict on constraint attempt_pkey do nothing;

    update tenure_private.attempt as a
    set error = jsonb_build_object(
            'type', left(a.error ->> 'type', 100), 'message', left(a.error ->> 'message', 200), 'cut', true
        )
    from tenure_private.step as s
    where s.step_id = any(p_step_ids) and s.lease_generation > 100
        and a.step_id = s.step_id and a.generation = s.lease_generation - 100 and a.error is not null;
end
$function$;
comment on function tenure_private.log_attempts(bigint[], tenure_private.outcome, timestamptz) is
'Keeps who ran each attempt that is ending without success, when and why. Called before the steps move.';
revoke all on function tenure_private.log_attempts(bigint[], tenure_private.outcome, timestamptz) from public;
