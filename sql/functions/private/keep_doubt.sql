create or replace function tenure_private.keep_doubt(p_step_ids bigint[], p_now timestamptz)
returns bigint[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- Were such a group cancelled, the one around it would not hear of the doubt, and begin anew. Inner ones first: their
-- ids are higher, for they were made later. The caller has locked these steps and their run.
declare
    v_step tenure_private.step;
    v_group tenure_private.step_group;
    v_kept bigint [] := array[]::bigint [];
begin
    for v_step in
        select s.* from tenure_private.step as s where s.step_id = any(p_step_ids) and s.tree order by s.step_id desc
    loop
        select g.* into strict v_group from tenure_private.step_group as g where g.step_id = v_step.step_id;
        continue when not v_group.uncertain;
        perform tenure_private.log_group(v_step, v_group, p_now);
        perform tenure_private.land(
            array[v_step.step_id], null,
            tenure_private.discard(v_step, 'discarded', v_group.error_kind, v_group.error), p_now, null, null
        );
        update tenure_private.step_group as g
        set uncertain = true,
            error_kind = case when t.tells then v_group.error_kind else g.error_kind end,
            error = case when t.tells then v_group.error else g.error end
        from (
            select o.step_id, not o.uncertain and (o.ending = 'group_ended' or o.error_kind is null) as tells
            from tenure_private.step_group as o
        ) as t
        where g.step_id = v_step.parent_id and t.step_id = g.step_id;
        v_kept := v_kept || v_step.step_id;
    end loop;
    return v_kept;
end
$function$;
comment on function tenure_private.keep_doubt(bigint[], timestamptz) is
'Of these steps, which are about to be called off, discards the groups in which an outside commit is in doubt, tells those around them, and returns them.';
revoke all on function tenure_private.keep_doubt(bigint[], timestamptz) from public;
