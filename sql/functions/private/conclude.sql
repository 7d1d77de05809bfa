create or replace function tenure_private.conclude(p_group_ids bigint[], p_now timestamptz)
returns bigint[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_step tenure_private.step;
    v_group tenure_private.step_group;
    v_ended bigint [] := array[]::bigint [];
    v_done bigint [] := array[]::bigint [];
    v_outputs jsonb [] := array[]::jsonb [];
    v_skipped bigint [] := array[]::bigint [];
    v_output jsonb;
    v_id bigint;
begin
    foreach v_id in array p_group_ids loop
        select s.* into strict v_step from tenure_private.step as s where s.step_id = v_id;
        select g.* into strict v_group from tenure_private.step_group as g where g.step_id = v_id;
        if v_group.ending is not null or v_group.error_kind is not null then
            -- What is blocked goes with the failed attempt.
            perform tenure_private.call_off_under(v_id, coalesce(v_group.ending, 'sibling_discarded'), p_now);
            select g.* into strict v_group from tenure_private.step_group as g where g.step_id = v_id;
            v_ended := v_ended || tenure_private.fail_group(v_step, v_group, p_now);
            continue;
        end if;
        if tenure_private.too_large(tenure_private.group_size(v_step, v_group)) then
            v_group.final := true;
            v_group.error_kind := 'permanent';
            v_group.error := tenure_private.oversized(v_step, 'its outputs');
            v_ended := v_ended || tenure_private.fail_group(v_step, v_group, p_now);
            continue;
        end if;
        v_output := tenure_private.group_output(v_step, v_group);
        if not tenure_private.publish_group(v_step, v_group, v_output) then
            v_group.error_kind := 'output_conflict';
            v_group.error := tenure_private.output_conflict(v_step);
            v_ended := v_ended || tenure_private.fail_group(v_step, v_group, p_now);
        elsif tenure_private.all_skipped(v_step, v_group) then
            v_skipped := v_skipped || v_id;
        else
            v_done := v_done || v_id;
            v_outputs := v_outputs || array[v_output];
        end if;
    end loop;
    perform tenure_private.pass_over(v_skipped, 'all_skipped', p_now);
    if v_done <> '{}' then
        perform tenure_private.land(v_done, v_outputs, tenure_private.completion(), p_now, null, null);
    end if;
    return v_ended || v_done || v_skipped;
end
$function$;
comment on function tenure_private.conclude(bigint[], timestamptz) is
'Ends the attempt of groups that have no unfinished child, and the group with it unless another attempt follows. Returns the steps that ended by it, for their groups to be told.';
revoke all on function tenure_private.conclude(bigint[], timestamptz) from public;
