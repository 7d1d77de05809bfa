create or replace function tenure.revoke_queue(queue text, role text)
returns void
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
-- Locks: the row of the grant.
declare
    v_queue constant tenure_private.queue = tenure_private.find_queue(revoke_queue.queue);
begin
    perform tenure_private.check_name(revoke_queue.role, 'role');
    delete from tenure_private.queue_grant as g where g.queue_id = v_queue.queue_id and g.role = revoke_queue.role;
    -- A role that is gone can be revoked from; a name that was mistyped must not pass for it.
    if not found and not exists (select from pg_roles as r where r.rolname = revoke_queue.role) then
        perform tenure_private.refuse(
            'role_unknown', 'there is no such role', format('Role %s.', revoke_queue.role),
            'Look at tenure.queue_grants for the roles that hold a grant.'
        );
    end if;
end
$function$;
comment on function tenure.revoke_queue(text, text) is
'Takes the grant of a queue from a role; without one it does nothing. A queue whose last grant is gone is open to all who hold none.
Errors: TN003 unknown queue, TN005 names, TN019 a role that is neither there nor granted anything.';
revoke all on function tenure.revoke_queue(text, text) from public;
grant execute on function tenure.revoke_queue(text, text) to tenure_operator;
