create or replace function tenure.define_workflow(name text, definition jsonb)
returns int
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
-- Locks: one advisory lock for all definitions, so that no two that mount each other slip past each other.
declare
    v_latest tenure_private.workflow;
    v_workflow_id int;
begin
    perform tenure_private.check_name(define_workflow.name, 'name');
    perform tenure_private.check_workflow(define_workflow.definition);
    perform pg_advisory_xact_lock(hashtextextended('tenure.define_workflow', 0));
    select w.* into v_latest
    from tenure_private.workflow as w
    where w.name = define_workflow.name
    order by w.version desc
    limit 1;
    if v_latest.definition = define_workflow.definition then
        return v_latest.version;
    end if;
    insert into tenure_private.workflow (name, version, definition, policy, on_failure, outputs, defined_at)
    values (
        define_workflow.name, coalesce(v_latest.version, 0) + 1, define_workflow.definition,
        tenure_private.parse_policy(coalesce(nullif(define_workflow.definition -> 'policy', 'null'), '[]')),
        coalesce(define_workflow.definition ->> 'on_failure', 'cancel'),
        tenure_private.names_member(define_workflow.definition, 'outputs'), tenure_private.clock()
    )
    returning workflow_id into strict v_workflow_id;
    perform tenure_private.add_nodes(v_workflow_id, define_workflow.definition -> 'nodes');
    perform tenure_private.check_cycles(v_workflow_id);
    perform tenure_private.check_outputs_known(v_workflow_id);
    perform tenure_private.check_recursion(define_workflow.name);
    -- Of this workflow, and of those whose newest version mounts it.
    perform tenure_private.check_mounts(w.workflow_id)
    from tenure_private.workflow as w
    where w.version = (select max(l.version) from tenure_private.workflow as l where l.name = w.name)
        and (w.workflow_id = v_workflow_id or exists (
            select from tenure_private.node as n
            where n.workflow_id = w.workflow_id and n.workflow = define_workflow.name
        ));
    perform tenure_private.check_mount_units(v_workflow_id);
    perform tenure_private.check_extent(v_workflow_id);
    return coalesce(v_latest.version, 0) + 1;
end
$function$;
comment on function tenure.define_workflow(text, jsonb) is
'Defines a workflow and returns its version, from 1; the same definition as the newest version''s writes nothing and returns that. Runs keep the versions that they began with, of mounted workflows too. The definition: {"nodes": [{"name", "step", "requires", "optional", "provides", "policy", "inherit", "queue", "priority", "quota", "when", "workflow", "map"}], "policy", "on_failure": "cancel" or "continue", "outputs"}.
Errors: TN003 queue, TN005 names, TN006 durations, TN007 malformed, TN008 over 1 MB, TN015 quota, TN018 a queue that is not the caller''s, TN030 an unknown workflow is mounted, TN031 no nodes, a cycle, two producers of a key, an unknown key, a workflow that mounts itself, one of more than 10,000 steps, a node that contradicts itself.';
revoke all on function tenure.define_workflow(text, jsonb) from public;
grant execute on function tenure.define_workflow(text, jsonb) to tenure_client, tenure_worker;
