create or replace view tenure.attempt_log as
select
    a.step_id,
    s.root_id as run_id,
    t.name,
    a.attempt,
    -- A group has none: its rows are told apart by its attempt.
    least(a.generation, s.lease_generation) as generation,
    a.owner,
    a.started_at,
    a.ended_at,
    a.kind,
    a.error
from tenure_private.attempt as a
join tenure_private.step as s on s.step_id = a.step_id
join tenure_private.track as t on t.track_id = s.track_id
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
comment on view tenure.attempt_log is
'Every ended attempt that did not succeed: who ran it, from when to when, and why it ended: an error_kind, or cancelled. A group has neither owner nor generation (0). Behind the last hundred of a step only the first words of an error are kept.';
