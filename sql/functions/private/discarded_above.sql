create or replace function tenure_private.discarded_above(p_step tenure_private.step)
returns bigint[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_step tenure_private.step := p_step;
    v_group tenure_private.step;
    v_above bigint [] := array[]::bigint [];
begin
    while v_step.parent_id is not null loop
        select s.* into strict v_group from tenure_private.step as s where s.step_id = v_step.parent_id;
        if v_group.state = 'paused' or v_step.group_attempt <> v_group.attempt
            or v_group.state in ('completed', 'skipped', 'cancelled')
        then
            perform tenure_private.refuse(
                'invalid_transition', 'the group of the step has gone on without it',
                format(
                    'Step %s; group %s is %s, in attempt %s.',
                    v_step.step_id, v_group.step_id, v_group.state, v_group.attempt
                ),
                'Resume a paused run first. What belongs to an earlier attempt, or to a group that is over, stays as it is.'
            );
        end if;
        exit when v_group.state <> 'discarded';
        v_above := v_above || v_group.step_id;
        v_step := v_group;
    end loop;
    return v_above;
end
$function$;
comment on function tenure_private.discarded_above(tenure_private.step) is
'The groups above a discarded step that were discarded too, upwards. Refuses (TN010) a step that cannot come back to its group.';
revoke all on function tenure_private.discarded_above(tenure_private.step) from public;
