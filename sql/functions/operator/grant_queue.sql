create or replace function tenure.grant_queue(queue text, role text)
returns void
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
-- Locks: the row of the grant.
declare
    v_queue constant tenure_private.queue = tenure_private.find_queue(grant_queue.queue);
begin
    perform tenure_private.check_name(grant_queue.role, 'role');
    if not exists (select from pg_roles as r where r.rolname = grant_queue.role) then
        perform tenure_private.refuse(
            'role_unknown', 'there is no such role', format('Role %s.', grant_queue.role), 'Make it first: create role.'
        );
    end if;
    insert into tenure_private.queue_grant (queue_id, role)
    values (v_queue.queue_id, grant_queue.role)
    on conflict on constraint queue_grant_pkey do nothing;
end
$function$;
comment on function tenure.grant_queue(text, text) is
'Grants a queue to a role and to whoever has its rights. From then on these use their own queues only, and nobody else uses this one, but for operators. Others'' queues are refused to them (TN018), others'' steps are not there for them. The same again does nothing; tenure.queue_grants lists what was granted.
Errors: TN003 unknown queue, TN005 names, TN019 unknown role.';
revoke all on function tenure.grant_queue(text, text) from public;
grant execute on function tenure.grant_queue(text, text) to tenure_operator;
