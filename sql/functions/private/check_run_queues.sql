create or replace function tenure_private.check_run_queues(p_workflow_id int, p_queue text)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- Once, for all that the run may come to: folds must never be refused.
begin
    if not exists (select from tenure_private.queue_grant as g) then
        return;
    end if;
    perform tenure_private.check_queue(q.queue_id, p_queue)
    from (
        with recursive reached (workflow_id, queue) as (
            select p_workflow_id, p_queue collate "C"
            union
            select (tenure_private.latest_workflow(n.workflow)).workflow_id, coalesce(n.queue, r.queue)
            from reached as r
            join tenure_private.node as n on n.workflow_id = r.workflow_id and n.workflow is not null
        )
        select r.queue as name from reached as r
        union
        select coalesce(n.queue, case when n.workflow is null then d.queue end, r.queue)
        from reached as r
        join tenure_private.node as n on n.workflow_id = r.workflow_id
        left join tenure_private.definition as d on d.name = n.step
    ) as u
    join tenure_private.queue as q on q.name = u.name
    order by q.name;
end
$function$;
comment on function tenure_private.check_run_queues(int, text) is
'Refuses (TN018) a run of which a step, in mounted workflows too, would lie in a queue that the caller may not use. p_queue: where those lie of which neither node nor definition says more.';
revoke all on function tenure_private.check_run_queues(int, text) from public;
