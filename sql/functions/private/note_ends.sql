create or replace function tenure_private.note_ends(p_step_ids bigint[])
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- Locks: the run's row, as folds do: tried. The caller has the run's lock, shared or exclusively.
declare
    v_state text;
    r_run record;
begin
    for r_run in
        select s.root_id, array_agg(s.step_id order by s.step_id) as step_ids
        from tenure_private.step as s
        where s.step_id = any(p_step_ids) and s.finished_at is not null
            -- What the children of a plain job come to concerns nobody, so that they do not get in its way either.
            and (
                (s.parent_id is null and s.tree)
                -- As a value: of an EXISTS beside an OR the planner may read the whole table.
                or (select g.step_id from tenure_private.step_group as g where g.step_id = s.parent_id) is not null
            )
        group by s.root_id
        order by s.root_id
    loop
        select r.state into v_state
        from tenure_private.step as r where r.step_id = r_run.root_id for no key update skip locked;
        if v_state is null or v_state = 'paused' then
            -- While the run's lock is shared nobody pauses or resumes it.
            insert into tenure_private.event (run_id, step_ids, held)
            select r_run.root_id, r_run.step_ids, r.state = 'paused'
            from tenure_private.step as r where r.step_id = r_run.root_id;
        else
            perform tenure_private.fold_run(r_run.root_id, r_run.step_ids);
        end if;
    end loop;
end
$function$;
comment on function tenure_private.note_ends(bigint[]) is
'For steps that may just have ended: what follows for their groups happens now, if nobody else is at it and the run is not paused; else it is noted for the next fold.';
revoke all on function tenure_private.note_ends(bigint[]) from public;
