create or replace function tenure_private.all_skipped(p_step tenure_private.step, p_group tenure_private.step_group)
returns boolean
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- volatile: asked in the middle of a fold, it must see what that has just written.
begin
    return p_group.done = 0 and exists (
        select from tenure_private.member as m where m.group_id = p_step.step_id and m.attempt = p_step.attempt
    );
end
$function$;
comment on function tenure_private.all_skipped(tenure_private.step, tenure_private.step_group) is
'Whether a group whose children have all ended, without failure, has children and none of them completed.';
revoke all on function tenure_private.all_skipped(tenure_private.step, tenure_private.step_group) from public;
