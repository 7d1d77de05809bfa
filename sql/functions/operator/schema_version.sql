create or replace function tenure.schema_version()
returns text
language plpgsql stable parallel safe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
declare
    v_version text;
begin
    select i.version into strict v_version from tenure_private.installation as i;
    return v_version;
end
$function$;
comment on function tenure.schema_version() is 'The installed release of Tenure, such as 0.1.0.';
revoke all on function tenure.schema_version() from public;
grant execute on function tenure.schema_version() to tenure_client, tenure_worker, tenure_operator, tenure_reader;
