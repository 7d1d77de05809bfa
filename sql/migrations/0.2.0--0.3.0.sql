-- From 0.2.0 to 0.3.0: workflows and quotas.
-- Locks: as every upgrade: setting, queue and high_clock against writers, each view against readers; definition, track,
--   wait and step for itself, from here to its end, so that claims and reports wait for as long.
-- Time: about a second, however many steps there are: columns are added without a rewrite, no table is read, no index
--   built.

lock table tenure_private.definition, tenure_private.track, tenure_private.wait in access exclusive mode;
lock table tenure_private.step in access exclusive mode;

-- Quotas.
alter table tenure_private.track
add column quota_ids int[],
add column quota_units int;
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

-- A small table, and a new column without values: the foreign key has nothing to look up.
alter table tenure_private.definition
-- squawk-ignore adding-foreign-key-constraint
add column quota_id int constraint definition_quota_id_fkey references tenure_private.quota,
add column quota_units int not null default 1;

create type tenure_private.quota_room as (quota_id int, room int);
comment on type tenure_private.quota_room is 'How many units of a quota are not in use.';

-- Functions that changed their signatures, and that nobody but the engine calls.
-- squawk-ignore ban-drop-function
drop function tenure_private.find_track(int, int, text);

alter type tenure_private.settings add attribute layers jsonb, add attribute bound interval;
comment on type tenure_private.settings is 'What resolve() makes of the parameters of enqueue, and node_settings() of a node. layers: a policy that is more than the columns of a step can say; bound: its nearest limit, counted from where the step is made.';
-- squawk-ignore ban-drop-function
drop function tenure_private.resolve(
    text, text, int, interval, interval, int, jsonb, int, text, interval, interval, interval
);

comment on type tenure.claimed is
'One leased step. time_left: until the nearest of its limits and of those of the groups around it, NULL without any. keys: an object for a step of a workflow, NULL for a plain job. signal, waits, headers: NULL when empty. waits: [{"key", "kind", "outcome", "payload"}], oldest first; signal: what ended the wait that it asked for last.';

-- Groups and their children.
alter table tenure_private.step
add column node_id int,
add column position int,
add column group_attempt int;
alter table tenure_private.step add column group_limit_at timestamptz;
alter table tenure_private.wait add column again bigint;
comment on column tenure_private.wait.again is 'Asked for once more after it had ended: when, as seq counts.';
comment on table tenure_private.step is 'Everything is a step: plain jobs, groups and their children. A plain job is one row.';
comment on column tenure_private.step.tree is 'It has children, or is a group and may have: as a run its lock is taken in the strength that shuts out its children''s reports.';
comment on column tenure_private.step.reason is 'Why it was cancelled or skipped. blocked: it is pending and waits for a sibling that has failed, in a group that goes on.';
comment on column tenure_private.step.node_id is 'Which node of a workflow it is. NULL for elements of a map that need no key, and for children started by a handler.';
comment on column tenure_private.step.position is 'Which element of its map it works on, from 0.';
comment on column tenure_private.step.group_attempt is 'Which attempt of its group made it.';
comment on column tenure_private.step.group_limit_at is 'When the first limit of the groups around it passes; while the run is paused it has none, unless that was before.';

-- squawk-ignore ban-drop-function
drop function tenure_private.lock_run_shared(bigint[]);
create table tenure_private.workflow (
    workflow_id int generated always as identity constraint workflow_pkey primary key,
    name text collate "C" not null,
    version int not null,
    definition jsonb not null,
    policy jsonb not null,
    on_failure text collate "C" not null,
    outputs text[],
    defined_at timestamptz not null,
    constraint workflow_name_key unique (name, version)
);
comment on table tenure_private.workflow is
'One version of a workflow. Never changed and never deleted, for runs keep the versions that they began with. policy: the layers around each of its nodes; outputs NULL: every published key.';

create table tenure_private.node (
    node_id int generated always as identity constraint node_pkey primary key,
    workflow_id int not null constraint node_workflow_id_fkey references tenure_private.workflow,
    name text collate "C" not null,
    step text collate "C" not null,
    workflow text collate "C",
    map_key text collate "C",
    requires text[] not null,
    optional text[] not null,
    provides text[] not null,
    policy jsonb not null,
    inherits boolean not null,
    queue text collate "C",
    priority int,
    quota text collate "C",
    condition jsonpath,
    constraint node_workflow_id_key unique (workflow_id, name)
);
comment on table tenure_private.node is
'A node of one version of a workflow. workflow: what it mounts, by name; map_key: it is a map over that key; condition: its when.';

create table tenure_private.need (
    node_id int not null constraint need_node_id_fkey references tenure_private.node,
    key text collate "C" not null,
    optional boolean not null,
    producer_id int constraint need_producer_id_fkey references tenure_private.node,
    constraint need_pkey primary key (node_id, key)
);
create index need_producer_id_idx on tenure_private.need (producer_id);
comment on table tenure_private.need is
'A key that a node waits for, and the node that provides it; NULL: it can come from the input alone.';

create table tenure_private.step_group (
    step_id bigint not null constraint step_group_pkey primary key,
    workflow_id int,
    maps boolean not null,
    on_failure text collate "C" not null,
    inherited jsonb not null,
    mounts jsonb,
    open int not null,
    done int not null,
    ending text collate "C",
    doomed boolean not null,
    final boolean not null,
    uncertain boolean not null,
    error_kind text collate "C",
    error jsonb,
    quota_ids int[] not null
) with (fillfactor = 70);
comment on table tenure_private.step_group is 'What makes a step a group, and how far its present attempt has come.';
comment on column tenure_private.step_group.inherited is 'The policy layers around each of its children, root first.';
comment on column tenure_private.step_group.mounts is 'Of a run: which version each mounted workflow had when it began.';
comment on column tenure_private.step_group.open is 'How many of its children have not been counted as ended, those started by handlers aside. Written by folds alone, and by calls that hold the run exclusively.';
comment on column tenure_private.step_group.done is 'How many of its children completed.';
comment on column tenure_private.step_group.ending is 'The reason with which what is still open in it is being cancelled.';
comment on column tenure_private.step_group.doomed is 'It is ending because a group around it is, which will cancel it.';
comment on column tenure_private.step_group.final is 'No policy may begin another attempt: its own deadline has passed.';
comment on column tenure_private.step_group.uncertain is 'A child failed, by whatever depth, with an outside commit whose result is unknown: neither this group nor one around it is begun anew.';
comment on column tenure_private.step_group.quota_ids is 'The quotas around each leaf in it, by id.';
comment on column tenure_private.step_group.error is 'The first error of the present attempt, with its kind.';

create table tenure_private.member (
    group_id bigint not null,
    attempt int not null,
    node_id int not null,
    step_id bigint not null,
    constraint member_pkey primary key (group_id, attempt, node_id, step_id)
);
comment on table tenure_private.member is
'The children of each attempt of a group; node 0: started by a handler. Beside step, because rows here are never updated.';

create table tenure_private.published (
    group_id bigint not null,
    attempt int not null,
    key text collate "C" not null,
    value jsonb not null,
    step_id bigint not null,
    constraint published_pkey primary key (group_id, attempt, key)
);
comment on table tenure_private.published is
'The keys that the children of one attempt of a group have published; those of its input are read from there.';

create table tenure_private.staged (
    step_id bigint not null,
    key text collate "C" not null,
    value jsonb not null,
    constraint staged_pkey primary key (step_id, key)
);
comment on table tenure_private.staged is 'What the present attempt of a step would publish. Gone when the attempt fails or is interrupted.';

create table tenure_private.event (
    seq bigint generated always as identity,
    run_id bigint not null,
    step_ids bigint[] not null,
    held boolean not null,
    constraint event_pkey primary key (run_id, seq)
);
create index event_seq_idx on tenure_private.event (seq) where not held;
comment on table tenure_private.event is
'Ends of children that no fold has seen yet, and groups to look at again. held: the run is paused, and its resume folds them.';

create table tenure_private.layer (
    step_id bigint not null,
    position int not null,
    kind text collate "C" not null,
    span interval,
    attempts int,
    backoff jsonb,
    begun int,
    entered_at timestamptz,
    constraint layer_pkey primary key (step_id, position)
);
comment on table tenure_private.layer is
'The policy layers of a step whose policy is more than its columns can say, outermost first. kind: timeout, deadline, or retry, whose begun counts its attempts; entered_at: from when span counts, NULL: from each claim.';
