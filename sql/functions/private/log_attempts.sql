create or replace function tenure_private.log_attempts(p_outcomes tenure_private.outcome [], p_now timestamptz)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- A step that fails for ever must not fill the disk: behind its last hundred errors only their first words stay.
begin
    insert into tenure_private.attempt (step_id, generation, attempt, owner, started_at, ended_at, kind, error)
    select s.step_id, s.lease_generation, s.attempt, s.lease_owner, s.started_at, p_now, o.ends_attempt, o.error
    from unnest(p_outcomes) as o
    join tenure_private.step as s on s.step_id = o.step_id
    where o.ends_attempt is not null;
    if not found then
        return;
    end if;
    update tenure_private.attempt as a
    set error = jsonb_build_object(
            'type', left(a.error ->> 'type', 100), 'message', left(a.error ->> 'message', 200), 'cut', true
        )
    from unnest(p_outcomes) as o
    join tenure_private.step as s on s.step_id = o.step_id
    where o.ends_attempt is not null and a.step_id = s.step_id and a.generation = s.lease_generation - 100
        and a.error is not null;
end
$function$;
comment on function tenure_private.log_attempts(tenure_private.outcome [], timestamptz) is
'Keeps who ran each attempt that is ending without success, when and why.';
revoke all on function tenure_private.log_attempts(tenure_private.outcome [], timestamptz) from public;
