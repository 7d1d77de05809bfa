create or replace function tenure_private.lock_run(p_run_id bigint, p_wait boolean)
returns boolean
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- A run with children is locked FOR UPDATE, which shuts out the FOR KEY SHARE of their reports. One without needs
-- less, and so a foreign key or a reader's FOR KEY SHARE on its row cannot hold up the sweep or a cancel.
declare
    v_tree boolean;
begin
    if p_wait then
        select r.tree into v_tree from tenure_private.step as r where r.step_id = p_run_id for no key update;
        if v_tree then
            perform from tenure_private.step as r where r.step_id = p_run_id for update;
        end if;
    else
        select r.tree into v_tree
        from tenure_private.step as r
        where r.step_id = p_run_id
        for no key update skip locked;
        if v_tree then
            perform from tenure_private.step as r where r.step_id = p_run_id for update skip locked;
            return found;
        end if;
    end if;
    return v_tree is not null;
end
$function$;
comment on function tenure_private.lock_run(bigint, boolean) is
'Takes the lock of a run exclusively. False: there is no such run, or (p_wait false) somebody else has the lock.';
revoke all on function tenure_private.lock_run(bigint, boolean) from public;
