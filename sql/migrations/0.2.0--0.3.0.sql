-- From 0.2.0 to 0.3.0: workflows and quotas.
-- Locks: ACCESS EXCLUSIVE on track and definition, for an instant each: columns are added without a rewrite.

-- Quotas.
alter table tenure_private.track
add column quota_ids int [],
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
    step_ids bigint [] not null,
    constraint quota_hold_pkey primary key (quota_id, seq)
);
comment on table tenure_private.quota_hold is
'Where to look for the units in use: every running step of a quota is in its newest row, which claim appends under the quota''s lock. It takes the place of an index on step, which each plain job would pay for; and it is found in one step however many dead rows an old snapshot keeps.';

alter table tenure_private.definition
add column quota_id int constraint definition_quota_id_fkey references tenure_private.quota,
add column quota_units int not null default 1;

alter type tenure_private.open_track add attribute quota_ids int [];
comment on type tenure_private.open_track is
'A track that a claim may take from: where to start reading it, when its mark was set, its names and its quotas.';
create type tenure_private.quota_room as (quota_id int, room int);
comment on type tenure_private.quota_room is 'How many units of a quota are not in use.';

drop function tenure_private.find_track(int, int, text);

alter type tenure_private.settings add attribute layers jsonb, add attribute bound interval;
comment on type tenure_private.settings is 'What resolve() makes of the parameters of enqueue, and node_settings() of a node. layers: a policy that is more than the columns of a step can say; bound: its nearest limit, counted from where the step is made.';
drop function tenure_private.resolve(text, text, int, interval, interval, int, jsonb, int, text, interval, interval, interval);
