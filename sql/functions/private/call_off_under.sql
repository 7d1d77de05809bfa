create or replace function tenure_private.call_off_under(p_group_id bigint, p_reason text, p_now timestamptz)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- Locks: the steps below, tried: their reports hold them, and may be waiting for rows of this transaction. While one is
-- missing no group below ends, and this group is looked at again by the next fold.
declare
    v_under constant bigint [] = tenure_private.unfinished_under(p_group_id);
    v_locked bigint [];
    v_missed boolean;
    v_kept bigint [];
begin
    update tenure_private.step_group as g set ending = p_reason, doomed = g.step_id <> p_group_id
    where g.step_id = p_group_id or g.step_id = any(v_under);
    select coalesce(array_agg(l.step_id), '{}') into strict v_locked
    from (
        select s.step_id
        from tenure_private.step as s
        where s.step_id = any(v_under) and s.finished_at is null
        order by s.step_id
        for no key update skip locked
    ) as l;
    select exists (
        select from tenure_private.step as s
        where s.step_id = any(v_under) and s.finished_at is null and s.step_id <> all(v_locked)
    ) into strict v_missed;
    if v_missed then
        select coalesce(array_agg(s.step_id order by s.step_id), '{}') into strict v_locked
        from tenure_private.step as s where s.step_id = any(v_locked) and not s.tree;
        insert into tenure_private.event (run_id, step_ids, held)
        select s.root_id, array[p_group_id], false from tenure_private.step as s where s.step_id = p_group_id;
    end if;
    v_kept := tenure_private.keep_doubt(v_locked, p_now);
    perform tenure_private.call_off_steps(
        array(select u.step_id from unnest(v_locked) as u (step_id) where u.step_id <> all(v_kept)), p_reason, p_now
    );
end
$function$;
comment on function tenure_private.call_off_under(bigint, text, timestamptz) is
'Cancels what is unfinished below a group; groups in which an outside commit is in doubt are discarded.';
revoke all on function tenure_private.call_off_under(bigint, text, timestamptz) from public;
