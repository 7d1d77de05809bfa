create or replace function tenure_private.find_run(p_run_id bigint)
returns tenure_private.step
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- volatile: called after a lock was waited for, it must see what was committed meanwhile.
declare
    v_run tenure_private.step;
begin
    select s.* into v_run from tenure_private.step as s where s.step_id = p_run_id;
    if v_run.step_id is null or v_run.purging or tenure_private.hidden_steps(array[p_run_id]) <> '{}' then
        perform tenure_private.refuse(
            'step_not_found', 'there is no such run',
            format('Run %s.', p_run_id), 'It may have been purged: see the retention of its queue.'
        );
    elsif v_run.parent_id is not null then
        perform tenure_private.refuse(
            'not_a_run', 'the id is that of a child, not of a run',
            format('Step %s belongs to run %s.', p_run_id, v_run.root_id),
            'Give the id of the run.'
        );
    end if;
    return v_run;
end
$function$;
comment on function tenure_private.find_run(bigint) is
'The row of a run. Refuses an unknown or hidden id (TN001) and a child''s (TN002).';
revoke all on function tenure_private.find_run(bigint) from public;
