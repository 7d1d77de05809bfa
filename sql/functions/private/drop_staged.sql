create or replace function tenure_private.drop_staged(p_step_ids bigint[])
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    delete from tenure_private.staged as s where s.step_id = any(p_step_ids);
end
$function$;
comment on function tenure_private.drop_staged(bigint[]) is 'Forgets what these steps have staged.';
revoke all on function tenure_private.drop_staged(bigint[]) from public;
