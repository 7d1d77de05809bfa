create or replace function tenure_private.has_tree(p_step_id bigint)
returns boolean
language sql stable parallel safe
as $function$
select
    exists (select from tenure_private.step as s where s.root_id = p_step_id and s.parent_id is not null)
    or exists (select from tenure_private.member as m where m.group_id = p_step_id)
    or exists (select from tenure_private.published as p where p.group_id = p_step_id)
    or exists (select from tenure_private.step_group as g where g.step_id = p_step_id)
    or exists (select from tenure_private.staged as s where s.step_id = p_step_id)
    or exists (select from tenure_private.layer as l where l.step_id = p_step_id)
    or exists (select from tenure_private.event as e where e.run_id = p_step_id);
$function$;
comment on function tenure_private.has_tree(bigint) is 'Whether rows of the tables of groups still belong to a run or child, or children to a run.';
revoke all on function tenure_private.has_tree(bigint) from public;
