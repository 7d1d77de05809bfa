create or replace function tenure_private.lock_steps(p_run_id bigint)
returns bigint[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- volatile: it locks what it reads. The caller holds the run exclusively: no child comes or goes meanwhile.
begin
    return p_run_id || array(
        select s.step_id
        from tenure_private.step as s
        where s.root_id = p_run_id and s.parent_id is not null
        order by s.step_id
        for no key update
    );
end
$function$;
comment on function tenure_private.lock_steps(bigint) is
'Locks the steps under a run, by id; the ids of all steps of the run, its own first.';
revoke all on function tenure_private.lock_steps(bigint) from public;
