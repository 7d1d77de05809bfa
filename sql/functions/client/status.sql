create or replace function tenure.status(run_id bigint)
returns tenure.run_status
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
declare
    v_status tenure.run_status;
begin
    -- Readers read the view, of whatever queue.
    if pg_has_role(tenure_private.caller(), 'tenure_reader', 'usage') then
        select r.* into v_status from tenure.run_status as r where r.run_id = status.run_id;
        if found then
            return v_status;
        end if;
    end if;
    perform tenure_private.find_run(status.run_id);
    select r.* into strict v_status from tenure.run_status as r where r.run_id = status.run_id;
    return v_status;
end
$function$;
comment on function tenure.status(bigint) is
'The row of a run in run_status. Errors: TN001 unknown run, TN002 a child''s id.';
revoke all on function tenure.status(bigint) from public;
grant execute on function tenure.status(bigint) to tenure_client, tenure_operator, tenure_reader;
