create or replace function tenure_private.check_leaf_only(
    p_max_reclaims int, p_on_timeout text, p_start_within interval, p_progress_timeout interval
)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    if num_nonnulls(p_max_reclaims, p_on_timeout, p_start_within, p_progress_timeout) > 0 then
        perform tenure_private.refuse(
            'argument_invalid', 'a workflow is never claimed, so it has no limits of executions',
            'Given: max_reclaims, on_timeout, start_within or progress_timeout.',
            'Give these to its steps: see tenure.define_step.'
        );
    end if;
end
$function$;
comment on function tenure_private.check_leaf_only(int, text, interval, interval) is
'Refuses (TN007), for a run of a workflow, what only a step that is claimed can have.';
revoke all on function tenure_private.check_leaf_only(int, text, interval, interval) from public;
