create or replace function tenure_private.locked_run(p_run_id bigint)
returns tenure_private.step
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_run tenure_private.step;
begin
    -- Nobody waits for the lock of what is hidden from him.
    if tenure_private.hidden_steps(array[p_run_id]) = '{}' then
        perform tenure_private.lock_run(p_run_id, true);
    end if;
    v_run := tenure_private.find_run(p_run_id);
    return v_run;
end
$function$;
comment on function tenure_private.locked_run(bigint) is
'The row of a run, after its lock was taken exclusively. Refuses an unknown or hidden id (TN001) and a child''s (TN002).';
revoke all on function tenure_private.locked_run(bigint) from public;
