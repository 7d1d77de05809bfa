create or replace view tenure.step_status as
select
    s.step_id,
    s.root_id as run_id,
    s.parent_id,
    t.name,
    q.name as queue,
    s.state,
    t.priority,
    s.scheduled_at,
    s.created_at,
    s.started_at,
    s.finished_at,
    s.attempt,
    s.max_attempts,
    s.timeout,
    s.deadline,
    s.start_within,
    s.progress_timeout,
    s.on_timeout,
    case when s.state = 'running' or s.on_timeout = 'wait' then s.lease_owner end as lease_owner,
    case when s.state = 'running' or s.on_timeout = 'wait' then s.lease_expiry end as lease_expiry,
    s.lease_generation,
    s.heartbeat_at,
    s.reclaims,
    s.max_reclaims,
    s.releases,
    s.input,
    s.output,
    s.error,
    s.error_kind,
    s.progress,
    s.progress_at,
    case when s.state = 'cancelled' then s.reason end as cancel_reason,
    case when s.state = 'skipped' then s.reason end as skip_reason,
    s.headers,
    s.deadline_at,
    s.due_at,
    s.paused_state,
    s.backoff,
    n.name as node,
    s.position,
    s.group_attempt,
    w.name as workflow,
    w.version as workflow_version,
    case
        when 'waiting_signal' in (s.state, s.paused_state)
            then (
                select o.signal
                from tenure_private.wait as o
                where o.step_id = s.step_id and o.outcome is null
            )
    end as waits_for
from tenure_private.step as s
join tenure_private.track as t on t.track_id = s.track_id
join tenure_private.queue as q on q.queue_id = t.queue_id
left join tenure_private.step as m on m.step_id = s.parent_id and s.position is not null
left join tenure_private.node as n on n.node_id = coalesce(s.node_id, m.node_id)
left join tenure_private.step_group as g on g.step_id = s.step_id and s.tree
left join tenure_private.workflow as w on w.workflow_id = g.workflow_id
where
    not s.purging
    and (
        s.parent_id is null
        or not (
            select r.purging
            from tenure_private.step as r
            where r.step_id = s.root_id
        )
    );
comment on view tenure.step_status is
'Every step with every column a person asks for. timeout, deadline, start_within, progress_timeout: as intervals; deadline_at: the instant; due_at: when the present sleep, signal wait or backoff of a group ends. Of children: node: which node of its workflow; position: which element of its map, from 0; group_attempt: which attempt of its group made it. Of runs of workflows and mounts: workflow and workflow_version. waits_for: the name of the signal that a waiting step waits for.';
