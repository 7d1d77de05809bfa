create or replace function tenure.set_quota(name text, capacity int)
returns void
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
-- Locks: the quota's row, which a claim may hold; then waiter rows, tried.
begin
    perform tenure_private.check_name(set_quota.name, 'quota');
    if set_quota.capacity is null or set_quota.capacity < 0 then
        perform tenure_private.refuse(
            'argument_invalid', 'capacity is out of range', format('Given: %s.', set_quota.capacity), 'Give 0 or more.'
        );
    end if;
    insert into tenure_private.quota as q (name, capacity)
    values (set_quota.name, set_quota.capacity)
    on conflict on constraint quota_name_key do update set capacity = excluded.capacity
    where q.capacity <> excluded.capacity;
    perform tenure_private.wake(t.track_id)
    from tenure_private.quota as q
    join tenure_private.track as t on q.quota_id = any(t.quota_ids)
    where q.name = set_quota.name;
end
$function$;
comment on function tenure.set_quota(text, int) is
'Makes a quota or changes its capacity: how many units of it may be running at once. A lowered capacity stops claims until enough steps have ended, and touches none that runs; 0 stops all claims under it.
Errors: TN005 name, TN007 capacity NULL or negative.';
revoke all on function tenure.set_quota(text, int) from public;
grant execute on function tenure.set_quota(text, int) to tenure_operator;
