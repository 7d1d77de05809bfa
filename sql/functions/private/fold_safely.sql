create or replace function tenure_private.fold_safely(p_run_id bigint)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    perform tenure_private.fold_run(p_run_id, '{}');
exception when others then
    -- One run's error stays its own.
    raise warning using
        message = format('the sweep could not fold run %s: %s', p_run_id, sqlerrm), errcode = sqlstate;
end
$function$;
comment on function tenure_private.fold_safely(bigint) is 'fold_run() for one run of a sweep: an error is a warning.';
revoke all on function tenure_private.fold_safely(bigint) from public;
