create or replace function tenure_private.limit_below(p_group tenure_private.step)
returns timestamptz
language sql stable parallel safe
as $function$
-- Unpinned and plain, so that the planner inlines it.
select least(p_group.group_limit_at, p_group.deadline_at, p_group.started_at + p_group.timeout);
$function$;
comment on function tenure_private.limit_below(tenure_private.step) is
'When the first limit of a group, or of the groups around it, ends what is in it; NULL: none does. It stands in group_limit_at of its children.';
revoke all on function tenure_private.limit_below(tenure_private.step) from public;
