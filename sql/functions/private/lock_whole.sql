create or replace function tenure_private.lock_whole(p_run_id bigint)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    perform tenure_private.lock_run(p_run_id, true);
    perform tenure_private.lock_children(p_run_id);
    if exists (select from tenure_private.event as e where e.run_id = p_run_id and not e.held) then
        perform tenure_private.fold_run(p_run_id, '{}');
    end if;
end
$function$;
comment on function tenure_private.lock_whole(bigint) is
'Takes the lock of a run exclusively, and folds what was left to do: the caller finds the run as it stands.';
revoke all on function tenure_private.lock_whole(bigint) from public;
