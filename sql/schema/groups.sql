-- Workflows: what is defined, and what groups and their children need beside their rows in step.
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
