create or replace function tenure_private.call_off_orphans(p_run_id bigint, p_ended bigint[], p_now timestamptz)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- A plain step whose handler started children is no group, and they do not outlive it.
declare
    v_under bigint [];
begin
    if p_run_id <> all(p_ended) or exists (select from tenure_private.step_group as g where g.step_id = p_run_id) then
        return;
    end if;
    v_under := array(
        select s.step_id
        from tenure_private.step as s
        where s.step_id = any(tenure_private.unfinished_under(p_run_id)) and s.finished_at is null
        order by s.step_id
        for no key update skip locked
    );
    perform tenure_private.call_off_steps(v_under, 'parent_ended', p_now);
    if tenure_private.unfinished_under(p_run_id) <> '{}' then
        insert into tenure_private.event (run_id, step_ids, held) values (p_run_id, array[p_run_id], false);
    end if;
end
$function$;
comment on function tenure_private.call_off_orphans(bigint, bigint[], timestamptz) is
'Cancels what the handler of a plain run has started and what is unfinished, once the run has ended.';
revoke all on function tenure_private.call_off_orphans(bigint, bigint[], timestamptz) from public;
