-- What the functions return. Composite types can gain a column later; RETURNS TABLE cannot.
create type tenure.claimed as (
    step_id bigint,
    run_id bigint,
    name text,
    queue text,
    input jsonb,
    attempt int,
    max_attempts int,
    generation bigint,
    lease_expiry timestamptz,
    time_left interval,
    reclaims int,
    headers jsonb,
    keys jsonb,
    signal jsonb,
    on_timeout text,
    waits jsonb
);
comment on type tenure.claimed is
'One leased step. time_left: until the nearest of its limits and of those of the groups around it, NULL without any. keys: an object for a step of a workflow, NULL for a plain job. signal, waits, headers: NULL when empty. waits: [{"key", "kind", "outcome", "payload"}], oldest first; signal: what ended the wait that it asked for last.';

create type tenure.verdict as (step_id bigint, verdict text);
comment on type tenure.verdict is 'What became of one report.';

create type tenure.heartbeat_verdict as (verdict text, lease_expiry timestamptz, time_left interval);
comment on type tenure.heartbeat_verdict is
'renewed, cancelled, timed_out or lost; the lease''s end and the time left to the nearest limit (NULL: none) while the step runs.';

create type tenure.renewal as (step_id bigint, verdict text, lease_expiry timestamptz, time_left interval);
comment on type tenure.renewal is 'heartbeat_verdict for one step of a batch; busy: its row is locked just now, try again.';

create type tenure.sweep_report as (reclaimed int, timed_out int, discarded int, woken int, next_due_in interval);
comment on type tenure.sweep_report is
'Steps moved by one pass. A timeout that exhausts its step counts as timed_out and as discarded. next_due_in: 0 when the pass reached its limit, NULL when nothing is to come.';

create type tenure.difference as (object text, aspect text, expected text, found text);
comment on type tenure.difference is 'One way in which the installed schema is not as it was installed.';

-- What a transition writes; made by the deciding functions, written by land() alone.
create type tenure_private.outcome as (
    verdict text,
    state text,
    scheduled_at timestamptz,
    due_at timestamptz,
    attempt int,
    error jsonb,
    error_kind text,
    reason text,
    reclaims int,
    releases bigint,
    keeps_lease boolean,
    ends_attempt text
);
comment on type tenure_private.outcome is
'One decided transition. state NULL: nothing moves, only the verdict is told; other NULLs: as it was. ends_attempt: why the attempt ended without success, for the log. keeps_lease: the body may still run.';

-- What a worker asks for when it ends an execution.
create type tenure_private.ask as (
    verb text,
    error jsonb,
    kind text,
    retry_after interval,
    reason text,
    pause interval,
    wait_key text,
    signal text
);
comment on type tenure_private.ask is 'The arguments of a report other than its lease and its output.';

-- A step's policy after call, definition, queue and built-in defaults have been put together and checked.
create type tenure_private.settings as (
    track_id int,
    queue_id int,
    timeout interval,
    deadline interval,
    max_attempts int,
    backoff jsonb,
    max_reclaims int,
    on_timeout text,
    start_within interval,
    progress_timeout interval,
    idempotency_period interval,
    headers jsonb,
    layers jsonb,
    bound interval
);
comment on type tenure_private.settings is 'What resolve() makes of the parameters of enqueue, and node_settings() of a node. layers: a policy that is more than the columns of a step can say; bound: its nearest limit, counted from where the step is made.';

create type tenure_private.open_track as (
    track_id int, priority int, head timestamptz, mark_at timestamptz, name text, queue text
);
comment on type tenure_private.open_track is
'A track that a claim may take from: where to start reading it, when its mark was set, and its names.';

create type tenure_private.quota_room as (quota_id int, room int);
comment on type tenure_private.quota_room is 'How many units of a quota are not in use.';

create type tenure_private.share as (track_id int, head timestamptz, wanted int);
comment on type tenure_private.share is 'How many steps a claim wants of one track.';

create type tenure_private.fact as (object text, aspect text, fact text);
comment on type tenure_private.fact is 'One fact of the system catalogues.';

create type tenure_private.picked as (step_ids bigint [], track_ids int []);
comment on type tenure_private.picked is 'What a claim has locked: the steps, and beside each its track.';
