-- Durations are intervals of pure seconds (a day is 24 h in every time zone); instants are timestamptz.

create table tenure_private.queue (
    queue_id int generated always as identity constraint queue_pkey primary key,
    name text collate "C" not null constraint queue_name_key unique,
    timeout_default interval,
    timeout_floor interval,
    timeout_ceiling interval,
    retention interval not null,
    discarded_retention interval not null,
    paused_at timestamptz
);
comment on table tenure_private.queue is 'Where workers look. A paused queue is not claimed from.';

create table tenure_private.queue_grant (
    queue_id int not null constraint queue_grant_queue_id_fkey references tenure_private.queue,
    role text collate "C" not null,
    constraint queue_grant_pkey primary key (queue_id, role)
);
comment on table tenure_private.queue_grant is
'Which roles may use a queue. By name, so that a dump can be restored where the roles were made anew. Empty: whoever may call a function may use every queue.';

create table tenure_private.track (
    track_id int generated always as identity constraint track_pkey primary key,
    queue_id int not null constraint track_queue_id_fkey references tenure_private.queue,
    priority int not null constraint track_priority_check check (priority between -100 and 100),
    name text collate "C" not null,
    quota_ids int[],
    quota_units int
);
create index track_queue_id_idx on tenure_private.track (queue_id, name, priority);
comment on table tenure_private.track is
'One step name in one lane (one priority of one queue), under the same quotas. Claim reads the tracks of the names it was asked for and no other, and none whose quotas have no room, so that a backlog of these costs it nothing. Not unique, so that nobody waits for the one who makes a new name''s first: two at once make two, and claim reads both.';
comment on column tenure_private.track.quota_ids is 'The quotas that each of its steps needs quota_units of while it runs, by id; both NULL without a quota.';

create table tenure_private.quota (
    quota_id int generated always as identity constraint quota_pkey primary key,
    name text collate "C" not null constraint quota_name_key unique,
    capacity int not null constraint quota_capacity_check check (capacity >= 0)
);
comment on table tenure_private.quota is 'How many units may be running at once. Claim locks the rows, in order of name and before any step; no report touches one.';

create table tenure_private.quota_hold (
    quota_id int not null,
    seq bigint generated always as identity,
    step_ids bigint[] not null,
    constraint quota_hold_pkey primary key (quota_id, seq)
);
comment on table tenure_private.quota_hold is
'Where to look for the units in use: every running step of a quota is in its newest row, which claim appends under the quota''s lock. It takes the place of an index on step, which each plain job would pay for; and it is found in one step however many dead rows an old snapshot keeps.';

create table tenure_private.head (
    track_id int not null,
    seq bigint generated always as identity,
    head timestamptz not null,
    mark_at timestamptz,
    mark_xid xid8,
    constraint head_pkey primary key (track_id, seq)
);
comment on table tenure_private.head is
'From where claim reads a track: nothing claimable lies before the newest row''s head. Appended to, never updated: the newest row is found in one step however many dead ones an old snapshot keeps. Track 0 is the alarm index, -1 the finished runs.';

create table tenure_private.behind (
    track_id int not null,
    scheduled_at timestamptz not null
);
-- Without a primary key this is what a publication of all tables needs to let rows be deleted.
alter table tenure_private.behind replica identity full;
comment on table tenure_private.behind is
'Steps that became available before their track''s head. Claim starts from the earliest; the sweep folds the rows into the head.';

create table tenure_private.step (
    -- What indexes name comes first: heap_update() compares those columns of the old and the new row, and behind a
    -- null or a text it would have to walk to each of them. Fixed width and never null, then state, then the rest.
    step_id bigint not null,
    root_id bigint not null,
    scheduled_at timestamptz not null,
    created_at timestamptz not null,
    lease_generation bigint not null,
    releases bigint not null,
    track_id int not null,
    attempt int not null,
    max_attempts int not null,
    reclaims int not null,
    tree boolean not null,
    pausing boolean not null,
    waited boolean not null,
    purging boolean not null,
    -- The one check on this table: four more took 2.7 % of claim and completion, and land() is the only writer.
    state text collate "C" not null constraint step_state_check check (
        state in (
            'pending', 'available', 'running', 'waiting_timer', 'waiting_signal', 'waiting_steps', 'paused',
            'completed', 'skipped', 'discarded', 'cancelled'
        )
    ),
    alarm_at timestamptz,
    finished_at timestamptz,
    parent_id bigint,
    deadline_at timestamptz,
    start_by timestamptz,
    started_at timestamptz,
    lease_expiry timestamptz,
    lease_owner text collate "C",
    timeout interval,
    progress_at timestamptz,
    progress_timeout interval,
    heartbeat_at timestamptz,
    lease_ttl interval,
    on_timeout text collate "C" not null,
    due_at timestamptz,
    paused_at timestamptz,
    paused_state text collate "C",
    max_reclaims int,
    deadline interval,
    start_within interval,
    reported text collate "C",
    error_kind text collate "C",
    reason text,
    backoff jsonb,
    headers jsonb,
    input jsonb not null,
    progress jsonb,
    output jsonb,
    error jsonb,
    -- Of children alone, and behind all that a plain step has: what a migration adds comes last.
    node_id int,
    position int,
    group_attempt int,
    group_limit_at timestamptz,
    constraint step_pkey primary key (step_id)
) with (
    -- Room on the page, so that claim's and heartbeat's new row versions stay beside the old one.
    fillfactor = 60,
    autovacuum_vacuum_scale_factor = 0.02,
    autovacuum_vacuum_insert_scale_factor = 0.1,
    autovacuum_analyze_scale_factor = 0.05
);
comment on table tenure_private.step is 'Everything is a step: plain jobs, groups and their children. A plain job is one row.';
comment on column tenure_private.step.alarm_at is 'The next moment at which the sweep must look at this step, whatever its state; never later than that, sometimes earlier.';
comment on column tenure_private.step.due_at is 'When the present sleep ends or the present signal wait times out.';
comment on column tenure_private.step.start_by is 'When start_within ends; NULL once the step was claimed.';
comment on column tenure_private.step.tree is 'It has children, or is a group and may have: as a run its lock is taken in the strength that shuts out its children''s reports.';
comment on column tenure_private.step.pausing is 'The run was paused while this step ran: what its verdict makes non-terminal becomes paused.';
comment on column tenure_private.step.waited is 'The step has rows in wait, so that claim looks for them.';
comment on column tenure_private.step.reported is 'Verb, verdict and owner of the report that ended the last execution: the same report again gets the same answer.';
comment on column tenure_private.step.reason is 'Why it was cancelled or skipped. blocked: it is pending and waits for a sibling that has failed, in a group that goes on.';
comment on column tenure_private.step.lease_owner is 'Who runs it. Kept, with lease_expiry, on a step that was ended from outside until its worker''s next report.';

comment on column tenure_private.step.node_id is 'Which node of a workflow it is. NULL for elements of a map that need no key, and for children started by a handler.';
comment on column tenure_private.step.position is 'Which element of its map it works on, from 0.';
comment on column tenure_private.step.group_attempt is 'Which attempt of its group made it.';
comment on column tenure_private.step.group_limit_at is 'When the first limit of the groups around it passes; while the run is paused it has none, unless that was before.';
-- The two indexes that every job pays for, the one that purge reads, and two for children alone.
create index step_track_id_idx on tenure_private.step (track_id, scheduled_at, step_id) where state = 'available';
create index step_alarm_at_idx on tenure_private.step (alarm_at) where alarm_at is not null;
create index step_finished_at_idx on tenure_private.step (finished_at) where finished_at is not null
and parent_id is null;
create index step_root_id_idx on tenure_private.step (root_id, step_id) where parent_id is not null;
create index step_step_id_idx on tenure_private.step (step_id) include (root_id) where parent_id is not null;

create sequence tenure_private.step_id_seq as bigint maxvalue 281474976710655;
comment on sequence tenure_private.step_id_seq is 'The low 48 bits of step_id; the high bits are left for a shard.';

create table tenure_private.definition (
    name text collate "C" not null constraint definition_pkey primary key,
    queue text collate "C",
    priority int,
    timeout interval,
    deadline interval,
    max_attempts int,
    backoff jsonb,
    max_reclaims int,
    on_timeout text,
    headers jsonb,
    start_within interval,
    progress_timeout interval,
    idempotency_period interval,
    quota_id int constraint definition_quota_id_fkey references tenure_private.quota,
    quota_units int not null default 1
);
comment on table tenure_private.definition is 'Defaults of a step name: what enqueue does not say, this says.';

create table tenure_private.idempotency (
    kind text collate "C" not null,
    name text collate "C" not null,
    key text collate "C" not null,
    step_id bigint not null,
    expires_at timestamptz,
    constraint idempotency_pkey primary key (kind, name, key)
);
create index idempotency_step_id_idx on tenure_private.idempotency (step_id);
comment on table tenure_private.idempotency is 'Which run an idempotency key stands for. kind keeps plain steps apart from workflows.';

create table tenure_private.attempt (
    step_id bigint not null,
    generation bigint not null,
    attempt int not null,
    owner text collate "C",
    started_at timestamptz,
    ended_at timestamptz not null,
    kind text collate "C" not null,
    error jsonb,
    constraint attempt_pkey primary key (step_id, generation)
);
comment on table tenure_private.attempt is 'Every ended attempt that did not succeed.';

create table tenure_private.wait (
    step_id bigint not null,
    seq bigint generated always as identity,
    key text collate "C" not null,
    kind text collate "C" not null constraint wait_kind_check check (kind in ('sleep', 'signal')),
    signal text collate "C",
    created_at timestamptz not null,
    outcome text collate "C" constraint wait_outcome_check check (outcome in ('due', 'arrived', 'timed_out')),
    payload jsonb,
    again bigint,
    constraint wait_pkey primary key (step_id, key)
);
comment on table tenure_private.wait is 'Sleeps and signal waits of a step, kept like checkpoints: outcome NULL while it is open.';
comment on column tenure_private.wait.again is 'Asked for once more after it had ended: when, as seq counts.';

create table tenure_private.signal (
    run_id bigint not null,
    signal text collate "C" not null,
    seq bigint generated always as identity,
    payload jsonb,
    created_at timestamptz not null,
    constraint signal_pkey primary key (run_id, signal, seq)
);
comment on table tenure_private.signal is 'Signals sent before anyone waited for them, oldest first.';

create table tenure_private.checkpoint (
    step_id bigint not null,
    key text collate "C" not null,
    value jsonb not null,
    created_at timestamptz not null,
    constraint checkpoint_pkey primary key (step_id, key)
);
comment on table tenure_private.checkpoint is 'What a handler noted: the first write of a key stands, over all attempts.';

create table tenure_private.worker (
    owner text collate "C" not null constraint worker_pkey primary key,
    channel text not null,
    queues text[] not null,
    idle boolean not null,
    info jsonb,
    waiter_id bigint,
    hello_at timestamptz not null,
    expires_at timestamptz not null,
    report jsonb,
    reported_at timestamptz
) with (fillfactor = 50);
comment on table tenure_private.worker is 'Workers that said hello, and their shutdown reports. Nothing but status and waking depends on it.';

create table tenure_private.waiter (
    waiter_id bigint generated always as identity constraint waiter_pkey primary key,
    channel text not null,
    queues text[] not null,
    expires_at timestamptz not null
);
create index waiter_expires_at_idx on tenure_private.waiter (expires_at);
comment on table tenure_private.waiter is 'One row for each idle worker. Who makes work deletes one and notifies it; who finds none notifies nobody.';

create table tenure_private.high_clock (
    singleton boolean not null default true
    constraint high_clock_pkey primary key
    constraint high_clock_singleton_check check (singleton),
    seen_at timestamptz not null
);
comment on table tenure_private.high_clock is 'The latest clock that a sweep has seen: an earlier one now means that the clock was set back.';
-- There from the start: the first two sweeps must not wait for each other to insert it.
insert into tenure_private.high_clock (seen_at) values ('-infinity');

create table tenure_private.setting (
    name text collate "C" not null constraint setting_pkey primary key,
    bytes int not null constraint setting_bytes_check check (bytes >= 8192)
);
comment on table tenure_private.setting is 'Size limits in bytes. The owner may change them; under 8 kB nothing is looked up.';
insert into tenure_private.setting (name, bytes)
values ('input', 1048576), ('output', 16777216), ('headers', 65536), ('payload', 1048576), ('report', 1048576);

create table tenure_private.installation (
    singleton boolean not null default true
    constraint installation_pkey primary key
    constraint installation_singleton_check check (singleton),
    version text not null,
    installed_at timestamptz not null
);
comment on table tenure_private.installation is 'Which release of Tenure this is.';

create table tenure_private.shipped (
    object text not null,
    aspect text not null,
    fact text not null,
    constraint shipped_pkey primary key (object, aspect)
);
comment on table tenure_private.shipped is 'The catalogue as the install script left it: what verify_schema() compares with.';
