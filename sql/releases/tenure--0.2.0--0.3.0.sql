\set ON_ERROR_STOP on
begin;
-- Tenure 0.3.0: upgrades 0.2.0. Built from sql/ by sql/build.py; change the sources, not this text.
-- sql/forms/begin.sql
-- Runs in one transaction, which the caller opens and commits; the end of this text gives these settings back.
do $caller$
begin
    perform pg_catalog.set_config('tenure.caller_role', pg_catalog.current_setting('role'), true);
    perform pg_catalog.set_config('tenure.caller_path', pg_catalog.current_setting('search_path'), true);
    perform pg_catalog.set_config('tenure.caller_lock_timeout', pg_catalog.current_setting('lock_timeout'), true);
end
$caller$;
-- So that no name or operator below can mean something that was planted in the database.
set local search_path = pg_catalog, pg_temp;

-- sql/forms/turn.sql
-- One at a time: two at once would fail on each other's catalogue rows. The second waits here, where it holds nothing.
set local lock_timeout = '5s';
do $turn$
declare
    v_key constant bigint = hashtextextended('tenure.install', 0);
    v_holder text;
begin
    perform pg_advisory_xact_lock(v_key);
exception
    when lock_not_available then
        -- Any login can take it, and keep it.
        select string_agg(
            format(
                'pid %s (%s, %s)',
                a.pid, a.usename, coalesce(nullif(a.application_name, ''), 'no application name')
            ),
            '; '
        )
        into strict v_holder
        from pg_locks as l
        join pg_database as d on d.oid = l.database
        join pg_stat_activity as a on a.pid = l.pid
        where l.locktype = 'advisory' and l.granted and d.datname = current_database()
            and l.objsubid = 1 and ((l.classid::bigint << 32) | l.objid::bigint) = v_key;
        raise exception using
            errcode = 'lock_not_available',
            message = 'somebody else holds the lock that Tenure is installed, upgraded and removed under',
            detail = coalesce(v_holder, 'Nobody holds it any more.'),
            hint = 'Let them end, or end them, and run it again.';
end
$turn$;

-- sql/forms/upgrade.sql
-- Under deadlock_timeout's one second: where the upgrade and a worker wait for each other it is the upgrade that gives
-- way, and whoever queues behind a lock that it waits for waits no longer than this.
set local lock_timeout = '500ms';
do $upgrade$
declare
    v_found text;
begin
    if exists (select from pg_namespace as n where n.nspname = 'tenure_private') then
        select i.version into v_found from tenure_private.installation as i;
    end if;
    if v_found is distinct from '0.2.0' then
        raise exception using
            errcode = 'TN021',
            message = 'this script upgrades Tenure 0.2.0, and the database holds another version or none',
            detail = format('Found: %s.', coalesce(v_found, 'none')),
            hint = 'Run the scripts one after the other, each from the version that is there.';
    end if;
    if exists (select from pg_extension as e where e.extname = 'tenure')
        and current_setting('tenure.form', true) is distinct from 'extension'
    then
        raise exception using
            errcode = 'TN022',
            message = 'here Tenure is an extension, and only as one can it be upgraded',
            detail = 'What a script adds would not belong to the extension, and pg_dump would lose it.',
            hint = 'Install its files, then: alter extension tenure update.';
    end if;
end
$upgrade$;
set local role tenure_owner;

do $before$
declare
    r_view record;
begin
    -- Every lock that somebody who only looks can hold for long is taken before any that a claim waits for. A view
    -- has no other lock than by a change, and this one changes nothing.
    for r_view in
        select c.oid::regclass as name
        from pg_class as c
        where c.relnamespace in ('tenure'::regnamespace, 'tenure_private'::regnamespace) and c.relkind = 'v'
        order by c.oid
    loop
        -- execute: a view's name cannot be a parameter.
        execute format('alter view %s reset (security_barrier)', r_view.name);
    end loop;
    lock table tenure_private.setting, tenure_private.queue, tenure_private.high_clock in share row exclusive mode;
    -- What is amiss now, so that seal.sql does not take it for shipped.
    perform set_config('tenure.amiss', coalesce(jsonb_agg(d), '[]')::text, true) from tenure.verify_schema() as d;
end
$before$;

-- sql/migrations/0.2.0--0.3.0.sql
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

-- sql/repeat/check.sql
-- Rights that the database gives away by default would come on top of those that the files below grant. What is
-- PUBLIC's without any default privileges is taken from it there.
do $check$
declare
    v_found text;
begin
    select string_agg(
        format('%s to %s', a.privilege_type, case a.grantee when 0 then 'PUBLIC' else a.grantee::regrole::text end),
        ', '
    )
    into strict v_found
    from pg_default_acl as d
    cross join lateral aclexplode(d.defaclacl) as a
    where d.defaclrole = 'tenure_owner'::regrole
        and a.grantee <> d.defaclrole
        and not (a.grantee = 0 and (d.defaclobjtype, a.privilege_type) in (('f', 'EXECUTE'), ('T', 'USAGE')));
    if v_found is not null then
        raise exception using
            errcode = 'TN022',
            message = 'default privileges of tenure_owner would give away rights on what is made here',
            detail = format('They grant %s.', v_found),
            hint =
                'Take them back: alter default privileges for role tenure_owner revoke ... (psql shows them by \ddp).';
    end if;
end
$check$;

-- sql/repeat/reset.sql
-- Takes every right on anything of Tenure's from everyone but its owner: what the files after this one do not grant is
-- gone. On a fresh install there is nothing to take. Column rights go with their table's. Of types PUBLIC has USAGE, as
-- is built in: whoever may call a function may name what it returns.
do $reset$
declare
    r_grant record;
    r_type record;
begin
    for r_grant in
        select distinct o.what, case a.grantee when 0 then 'public' else a.grantee::regrole::text end as grantee
        from (
            select format('schema %s', n.oid::regnamespace), n.nspacl, n.nspowner
            from pg_namespace as n
            where n.oid in ('tenure'::regnamespace, 'tenure_private'::regnamespace)
            union all
            select
                format('routine %s', p.oid::regprocedure), coalesce(p.proacl, acldefault('f', p.proowner)), p.proowner
            from pg_proc as p
            where p.pronamespace in ('tenure'::regnamespace, 'tenure_private'::regnamespace)
            union all
            select
                format('%s %s', case c.relkind when 'S' then 'sequence' else 'table' end, c.oid::regclass),
                x.acl, c.relowner
            from pg_class as c
            cross join lateral (
                select c.relacl as acl
                union all
                select t.attacl from pg_attribute as t where t.attrelid = c.oid and t.attacl is not null
            ) as x
            where c.relnamespace in ('tenure'::regnamespace, 'tenure_private'::regnamespace) and c.relkind <> 'i'
            union all
            select format('type %s', t.oid::regtype), t.typacl, t.typowner
            from pg_type as t
            where t.typnamespace in ('tenure'::regnamespace, 'tenure_private'::regnamespace)
        ) as o (what, acl, owner)
        cross join lateral aclexplode(o.acl) as a
        where a.grantee <> o.owner and not (o.what like 'type %' and a.grantee = 0)
    loop
        -- execute: neither an object nor a role can be a parameter. Cascade: for whom a grantee granted it on to.
        execute format('revoke all on %s from %s cascade', r_grant.what, r_grant.grantee);
    end loop;
    for r_type in
        select t.oid::regtype as name
        from pg_type as t
        where t.typnamespace in ('tenure'::regnamespace, 'tenure_private'::regnamespace) and t.typacl is not null
    loop
        -- execute: as above.
        execute format('grant usage on type %s to public', r_type.name);
    end loop;
end
$reset$;

-- sql/functions/private/add_layers.sql
create or replace function tenure_private.add_layers(p_step_ids bigint[], p_policy jsonb, p_now timestamptz)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    insert into tenure_private.layer (step_id, position, kind, span, attempts, backoff, begun, entered_at)
    select
        u.step_id, l.position, l.kind, l.span, l.attempts, l.backoff, l.begun,
        case when l.entered_at is not null then p_now end
    from unnest(p_step_ids) as u (step_id)
    cross join tenure_private.policy_layers(p_policy) as l;
end
$function$;
comment on function tenure_private.add_layers(bigint[], jsonb, timestamptz) is
'Lets new steps enter the layers of a policy in its normal form.';
revoke all on function tenure_private.add_layers(bigint[], jsonb, timestamptz) from public;

-- sql/functions/private/add_nodes.sql
create or replace function tenure_private.add_nodes(p_workflow_id int, p_nodes jsonb)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_node tenure_private.node;
    r_node record;
begin
    for r_node in select e.node from jsonb_array_elements(p_nodes) with ordinality as e (node, n) order by e.n loop
        v_node := tenure_private.parse_node(r_node.node);
        insert into tenure_private.node (
            workflow_id, name, step, workflow, map_key, requires, optional, provides, policy, inherits, queue, priority,
            quota, condition
        )
        values (
            p_workflow_id, v_node.name, v_node.step, v_node.workflow, v_node.map_key, v_node.requires, v_node.optional,
            v_node.provides, v_node.policy, v_node.inherits, v_node.queue, v_node.priority, v_node.quota,
            v_node.condition
        )
        on conflict on constraint node_workflow_id_key do nothing;
        if not found then
            perform tenure_private.refuse(
                'workflow_invalid', 'two nodes have one name',
                format('Node %s.', v_node.name), 'Give each a name of its own.'
            );
        end if;
    end loop;
    perform tenure_private.check_producers(p_workflow_id);
    insert into tenure_private.need (node_id, key, optional, producer_id)
    select n.node_id, k.key, k.optional, p.node_id
    from tenure_private.node as n
    cross join lateral (
        select u.key, false as optional from unnest(n.requires) as u (key)
        union
        select n.map_key, false where n.map_key is not null
        union
        select u.key, true from unnest(n.optional) as u (key)
    ) as k
    left join tenure_private.node as p on p.workflow_id = n.workflow_id and k.key = any(p.provides)
    where n.workflow_id = p_workflow_id;
end
$function$;
comment on function tenure_private.add_nodes(int, jsonb) is
'Writes the nodes of a new version of a workflow, and what each needs of which. Refuses malformed nodes, a name twice and a key with two producers.';
revoke all on function tenure_private.add_nodes(int, jsonb) from public;

-- sql/functions/private/advance.sql
create or replace function tenure_private.advance(p_step_ids bigint[], p_now timestamptz)
returns bigint[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_mergejoin = off
set enable_hashjoin = off
as $function$
-- What is missing is known before all is settled; a when is judged once, when all is. A group whose next attempt is
-- not due yet is looked at again then; one that is late already is left to its alarm, so that it is not opened first.
declare
    v_missing bigint [];
    v_blocked bigint [];
    v_oversized bigint [];
    v_unwanted bigint [];
    v_leaves bigint [];
    v_groups bigint [];
begin
    with judged as (
        select
            c.step_id, c.tree,
            case
                when k.missing then 'missing'
                when k.blocked then 'blocked'
                when not k.settled then 'open'
                when c.tree and c.due_at > p_now then 'later'
                when tenure_private.too_large(tenure_private.keys_size(
                    c.parent_id, c.group_attempt,
                    array(select w.key from tenure_private.need as w where w.node_id = c.node_id)
                )) then 'oversized'
                when n.condition is not null and not tenure_private.holds(c.parent_id, c.group_attempt, n)
                    then 'unwanted'
                when c.tree and c.deadline_at <= p_now then 'later'
                else 'wanted'
            end as verdict
        from tenure_private.step as c
        join tenure_private.step_group as g on g.step_id = c.parent_id and g.ending is null
        join tenure_private.node as n on n.node_id = c.node_id
        cross join lateral tenure_private.key_state(c.parent_id, c.group_attempt, c.node_id) as k
        where c.step_id = any(p_step_ids) and c.state = 'pending' and c.reason is null
    )
    select
        coalesce(array_agg(j.step_id) filter (where j.verdict = 'missing'), '{}'),
        coalesce(array_agg(j.step_id) filter (where j.verdict = 'blocked'), '{}'),
        coalesce(array_agg(j.step_id) filter (where j.verdict = 'oversized'), '{}'),
        coalesce(array_agg(j.step_id) filter (where j.verdict = 'unwanted'), '{}'),
        coalesce(array_agg(j.step_id order by j.step_id) filter (where j.verdict = 'wanted' and not j.tree), '{}'),
        coalesce(array_agg(j.step_id order by j.step_id) filter (where j.verdict = 'wanted' and j.tree), '{}')
    into strict v_missing, v_blocked, v_oversized, v_unwanted, v_leaves, v_groups
    from judged as j;
    perform tenure_private.pass_over(v_missing, 'missing_key', p_now);
    perform tenure_private.pass_over(v_unwanted, 'when', p_now);
    perform tenure_private.refuse_keys(v_oversized, p_now);
    update tenure_private.step as s set reason = 'blocked' where s.step_id = any(v_blocked);
    perform tenure_private.make_available(v_leaves, p_now);
    return v_missing || v_blocked || v_oversized || v_unwanted || tenure_private.open_groups(v_groups, p_now);
end
$function$;
comment on function tenure_private.advance(bigint[], timestamptz) is
'Moves on those of these pending children whose keys are decided: skipped, available or, groups, opened. Returns the steps that ended or were blocked by it, for their groups to be told.';
revoke all on function tenure_private.advance(bigint[], timestamptz) from public;

-- sql/functions/private/after_resume.sql
create or replace function tenure_private.after_resume(p_step_ids bigint[], p_now timestamptz)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    r_step record;
begin
    for r_step in
        select s.step_id, s.track_id, s.state, s.scheduled_at, w.key
        from tenure_private.step as s
        left join tenure_private.wait as w on w.step_id = s.step_id and w.outcome is null and w.kind = 'signal'
        where s.step_id = any(p_step_ids)
        order by w.seq, s.step_id
    loop
        if r_step.state = 'available' and r_step.scheduled_at <= p_now then
            perform tenure_private.note_behind(r_step.track_id, r_step.scheduled_at);
            perform tenure_private.wake(r_step.track_id);
        elsif r_step.state = 'waiting_signal' and exists (
            select
            from tenure_private.signal as g
            join tenure_private.step as s on s.root_id = g.run_id
            join tenure_private.wait as w on w.step_id = s.step_id and w.key = r_step.key and w.signal = g.signal
            where s.step_id = r_step.step_id
        ) then
            perform tenure_private.deliver_signal(r_step.step_id, r_step.key, p_now);
        end if;
    end loop;
end
$function$;
comment on function tenure_private.after_resume(bigint[], timestamptz) is
'For steps just resumed: tells heads and workers of those due, and delivers the signals that were kept.';
revoke all on function tenure_private.after_resume(bigint[], timestamptz) from public;

-- sql/functions/private/alarm_floor.sql
create or replace function tenure_private.alarm_floor(p_now timestamptz)
returns timestamptz
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_head constant timestamptz = (tenure_private.newest_head(0)).head;
begin
    -- A floor in the future is one that was set before the clock was set back.
    return case when v_head <= p_now then v_head else '-infinity' end;
end
$function$;
comment on function tenure_private.alarm_floor(timestamptz) is 'From where alarms are read: the head of the alarm index, past the entries that an old snapshot keeps.';
revoke all on function tenure_private.alarm_floor(timestamptz) from public;

-- sql/functions/private/all_skipped.sql
create or replace function tenure_private.all_skipped(p_step tenure_private.step, p_group tenure_private.step_group)
returns boolean
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- volatile: asked in the middle of a fold, it must see what that has just written.
begin
    return p_group.done = 0 and exists (
        select from tenure_private.member as m where m.group_id = p_step.step_id and m.attempt = p_step.attempt
    );
end
$function$;
comment on function tenure_private.all_skipped(tenure_private.step, tenure_private.step_group) is
'Whether a group whose children have all ended, without failure, has children and none of them completed.';
revoke all on function tenure_private.all_skipped(tenure_private.step, tenure_private.step_group) from public;

-- sql/functions/private/answer_alarm.sql
create or replace function tenure_private.answer_alarm(p_step tenure_private.step, p_now timestamptz)
returns tenure_private.outcome
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- The order is a rule: deadline, timeout, progress, lease.
declare
    v_outcome tenure_private.outcome;
begin
    if p_step.state = 'running' then
        return tenure_private.answer_running(p_step, p_now);
    elsif p_step.deadline_at <= p_now then
        return tenure_private.pass_limit(p_step, p_now, tenure_private.passed_kind(p_step, p_now), null, null);
    elsif p_step.state = 'available' and p_step.start_by <= p_now then
        return tenure_private.pass_limit(p_step, p_now, 'start_within', null, null);
    elsif p_step.state in ('waiting_timer', 'waiting_signal') and p_step.due_at <= p_now then
        update tenure_private.wait as w
        set outcome = case w.kind when 'sleep' then 'due' else 'timed_out' end
        where w.step_id = p_step.step_id and w.outcome is null;
        return tenure_private.back_in_line(p_step, p_now, 'woken');
    end if;
    return v_outcome;
end
$function$;
comment on function tenure_private.answer_alarm(tenure_private.step, timestamptz) is
'What a due alarm means for a step; state NULL: nothing yet.';
revoke all on function tenure_private.answer_alarm(tenure_private.step, timestamptz) from public;

-- sql/functions/private/answer_running.sql
create or replace function tenure_private.answer_running(p_step tenure_private.step, p_now timestamptz)
returns tenure_private.outcome
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- An expired lease means that nobody runs the step any more; a limit that passed under a live lease, that somebody may.
declare
    v_expired constant boolean = p_now > p_step.lease_expiry;
    v_passed text := tenure_private.limit_passed(
        p_now, p_step.deadline_at, p_step.started_at, p_step.timeout, p_step.progress_at, p_step.progress_timeout
    );
    v_outcome tenure_private.outcome;
begin
    if v_passed = 'deadline' then
        v_passed := tenure_private.passed_kind(p_step, p_now);
    end if;
    if v_passed = 'deadline' or (v_passed is not null and (v_expired or p_step.on_timeout = 'abandon')) then
        v_outcome := tenure_private.pass_limit(p_step, p_now, v_passed, null, null);
    elsif v_passed = 'timeout' and p_step.deadline_at <= p_now then
        -- A layer, and its body is waited for: as if its own timeout had passed, which rings no alarm.
        update tenure_private.step as s set deadline_at = null, timeout = interval '0' where s.step_id = p_step.step_id;
    elsif v_passed is null and v_expired and p_step.reclaims >= p_step.max_reclaims then
        v_outcome := tenure_private.pass_limit(p_step, p_now, 'reclaim_limit', null, null);
    elsif v_passed is null and v_expired then
        v_outcome := tenure_private.back_in_line(p_step, p_now, 'reclaimed');
        v_outcome.reclaims := least(p_step.reclaims::bigint + 1, 2147483647)::int;
    end if;
    v_outcome.keeps_lease := v_outcome.state = 'discarded';
    return v_outcome;
end
$function$;
comment on function tenure_private.answer_running(tenure_private.step, timestamptz) is
'What a due alarm means for a running step: a limit passed, its lease expired, or nothing yet.';
revoke all on function tenure_private.answer_running(tenure_private.step, timestamptz) from public;

-- sql/functions/private/ask_again.sql
create or replace function tenure_private.ask_again(
    p_lane tenure_private.open_track[], p_shares tenure_private.share[], p_track_ids int[]
)
returns tenure_private.open_track[]
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_lane tenure_private.open_track [];
begin
    select array_agg(t) into strict v_lane
    from unnest(p_lane) as t
    where not exists (
        select
        from unnest(p_shares) as w
        where w.track_id = t.track_id
            and w.wanted > (select count(*) from unnest(p_track_ids) as g (track_id) where g.track_id = w.track_id)
    )
    -- All that was wanted was there: nothing is left to ask for.
    and (select sum(w.wanted) from unnest(p_shares) as w) > coalesce(cardinality(p_track_ids), 0);
    return v_lane;
end
$function$;
comment on function tenure_private.ask_again(tenure_private.open_track[], tenure_private.share[], int[]) is
'The tracks of a lane that may have more after a round in which others gave less than they were asked for; NULL: none.';
revoke all on function tenure_private.ask_again(tenure_private.open_track[], tenure_private.share[], int[]) from public;

-- sql/functions/private/ask_for.sql
create or replace function tenure_private.ask_for(p_verb text)
returns tenure_private.ask
language sql immutable parallel safe
as $function$
select row(p_verb, null, null, null, null, null, null, null)::tenure_private.ask;
$function$;
comment on function tenure_private.ask_for(text) is 'A report that says no more than its verb.';
revoke all on function tenure_private.ask_for(text) from public;

-- sql/functions/private/back_in_line.sql
create or replace function tenure_private.back_in_line(p_step tenure_private.step, p_now timestamptz, p_verdict text)
returns tenure_private.outcome
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_outcome tenure_private.outcome;
begin
    v_outcome.verdict := p_verdict;
    v_outcome.state := 'available';
    v_outcome.scheduled_at := least(p_step.scheduled_at, p_now);
    return v_outcome;
end
$function$;
comment on function tenure_private.back_in_line(tenure_private.step, timestamptz, text) is
'The outcome of an execution or a wait that ended without ending the attempt: available, due at once, in its old place in line.';
revoke all on function tenure_private.back_in_line(tenure_private.step, timestamptz, text) from public;

-- sql/functions/private/backoff.sql
create or replace function tenure_private.backoff(p_backoff jsonb, p_attempt int, p_random double precision)
returns interval
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $function$
-- The exponent is clamped before power() is called: power() overflows although its result would be capped. And
-- numbers are rounded before they become doubles: jsonb holds some that are too small for one.
declare
    v_kind constant text = coalesce(p_backoff ->> 'kind', 'exponential');
    v_base constant double precision = round(coalesce((p_backoff ->> 'base')::numeric, 1), 9)::double precision;
    v_factor constant double precision = round(coalesce((p_backoff ->> 'factor')::numeric, 2), 9)::double precision;
    -- The default cap is for what grows: a base above it is meant.
    v_cap constant double precision = coalesce(
        round((p_backoff ->> 'cap')::numeric, 9)::double precision, greatest(3600, v_base)
    );
    v_jitter constant double precision = round(coalesce((p_backoff ->> 'jitter')::numeric, 0.2), 9)::double precision;
    v_step constant double precision = (greatest(p_attempt, 1) - 1)::double precision;
    v_delay double precision;
begin
    if v_base = 0 then
        return interval '0';
    elsif v_kind = 'fixed' then
        v_delay := v_base;
    elsif v_kind = 'linear' then
        v_delay := v_base * (v_step + 1);
    elsif v_factor = 1 or v_base >= v_cap then
        v_delay := v_base;
    else
        v_delay := v_base * power(v_factor, least(v_step, ln(v_cap / v_base) / ln(v_factor) + 1));
    end if;
    v_delay := least(v_delay, v_cap) * (1 + v_jitter * (2 * p_random - 1));
    return least(greatest(v_delay, 0), v_cap) * interval '1 second';
end
$function$;
comment on function tenure_private.backoff(jsonb, int, double precision) is
'The delay after a failed attempt (the first is 1). p_random in [0, 1) places it within ± jitter; never negative, never above cap, for any attempt.';
revoke all on function tenure_private.backoff(jsonb, int, double precision) from public;

-- sql/functions/private/begin_attempt.sql
create or replace function tenure_private.begin_attempt(p_group_ids bigint[], p_now timestamptz)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- A mount's input is what it needs of the keys around it. An element of a map has its own.
begin
    update tenure_private.step as s
    set state = 'waiting_steps',
        scheduled_at = d.due_at,
        due_at = null,
        started_at = d.due_at,
        input = case
            when n.workflow is not null and n.map_key is null
                then tenure_private.key_values(s.parent_id, s.group_attempt, n.requires || n.optional)
            else s.input
        end,
        alarm_at = tenure_private.next_alarm(
            p_now, 'waiting_steps', null, null, d.due_at, s.timeout, null, null, s.deadline_at, null, null
        )
    from tenure_private.step as o
    left join tenure_private.step as p on p.step_id = o.parent_id
    left join tenure_private.node as n on n.node_id = o.node_id
    cross join lateral (
        select greatest(p_now, case when o.parent_id is null then o.scheduled_at else p.scheduled_at end) as due_at
    ) as d
    where s.step_id = any(p_group_ids) and o.step_id = s.step_id;
    update tenure_private.step_group as g
    set open = 0, done = 0, ending = null, doomed = false, uncertain = false, error_kind = null, error = null
    where g.step_id = any(p_group_ids);
end
$function$;
comment on function tenure_private.begin_attempt(bigint[], timestamptz) is
'Makes groups wait for the children of a new attempt, which the caller then makes.';
revoke all on function tenure_private.begin_attempt(bigint[], timestamptz) from public;

-- sql/functions/private/begin_wait.sql
create or replace function tenure_private.begin_wait(
    p_step tenure_private.step, p_now timestamptz, p_ask tenure_private.ask
)
returns tenure_private.outcome
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- signal() takes the run's lock, which the caller holds too (a plain step is its own run): so a signal is either
-- here already or will find this wait.
declare
    v_kind constant text = case p_ask.verb when 'sleep' then 'sleep' else 'signal' end;
    v_verdict constant text = case p_ask.verb when 'sleep' then 'sleeping' else 'waiting' end;
    v_key text := p_ask.wait_key;
    v_outcome tenure_private.outcome;
    v_ended text;
begin
    -- A wait that a deadline cut short is no wait any more: left open it would take the next one's signal.
    delete from tenure_private.wait as w where w.step_id = p_step.step_id and w.outcome is null;
    if v_key is null then
        select concat_ws(':', v_kind, p_ask.signal, count(*) + 1) into strict v_key
        from tenure_private.wait as w
        where w.step_id = p_step.step_id and w.kind = v_kind and w.signal is not distinct from p_ask.signal;
    end if;
    insert into tenure_private.wait (step_id, key, kind, signal, created_at)
    values (p_step.step_id, v_key, v_kind, p_ask.signal, p_now)
    -- Asked for once more, it is the one of which claimed.signal tells; its place among the waits stays.
    on conflict on constraint wait_pkey do update set again = nextval('tenure_private.wait_seq_seq');
    if v_kind = 'signal' then
        perform tenure_private.take_signal(p_step.root_id, p_step.step_id, v_key, p_ask.signal);
    end if;
    select w.outcome into strict v_ended
    from tenure_private.wait as w
    where w.step_id = p_step.step_id and w.key = v_key;
    if v_ended is not null then
        v_outcome := tenure_private.back_in_line(p_step, p_now, v_verdict);
    else
        v_outcome.verdict := v_verdict;
        v_outcome.state := case v_kind when 'sleep' then 'waiting_timer' else 'waiting_signal' end;
        v_outcome.due_at := p_now + p_ask.pause;
    end if;
    return v_outcome;
end
$function$;
comment on function tenure_private.begin_wait(tenure_private.step, timestamptz, tenure_private.ask) is
'Opens a sleep or a signal wait under its key. A wait that has ended already (its key is recorded, or the signal is here) makes the step available at once.';
revoke all on function tenure_private.begin_wait(tenure_private.step, timestamptz, tenure_private.ask) from public;

-- sql/functions/private/begun_at.sql
create or replace function tenure_private.begun_at()
returns timestamptz
language sql stable parallel safe
as $function$
select pg_catalog.transaction_timestamp();
$function$;
comment on function tenure_private.begun_at() is
'When this transaction began, which is before it got its id. Nothing is decided by it: it bounds the transactions that a head''s mark must wait for.';
revoke all on function tenure_private.begun_at() from public;

-- sql/functions/private/bounded_timeout.sql
create or replace function tenure_private.bounded_timeout(p_queue tenure_private.queue, p_timeout interval)
returns interval
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $function$
-- Nothing is refused here: a fold may be the caller.
begin
    return least(
        greatest(coalesce(p_timeout, p_queue.timeout_default, p_queue.timeout_ceiling), p_queue.timeout_floor),
        p_queue.timeout_ceiling
    );
end
$function$;
comment on function tenure_private.bounded_timeout(tenure_private.queue, interval) is
'The timeout that a policy gives to a child (NULL: none), brought within the bounds of its queue.';
revoke all on function tenure_private.bounded_timeout(tenure_private.queue, interval) from public;

-- sql/functions/private/call_off.sql
create or replace function tenure_private.call_off(p_reason text)
returns tenure_private.outcome
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_outcome tenure_private.outcome;
begin
    v_outcome.verdict := 'cancelled';
    v_outcome.state := 'cancelled';
    v_outcome.reason := left(p_reason, 10000);
    v_outcome.keeps_lease := true;
    v_outcome.ends_attempt := 'cancelled';
    return v_outcome;
end
$function$;
comment on function tenure_private.call_off(text) is
'The outcome of a cancel. A running body may go on for a while: its lease stays on the row until its next report.';
revoke all on function tenure_private.call_off(text) from public;

-- sql/functions/private/call_off_ending.sql
create or replace function tenure_private.call_off_ending(p_group_ids bigint[], p_now timestamptz)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    r_group record;
begin
    for r_group in
        select g.step_id, g.ending as reason
        from tenure_private.step_group as g
        where g.step_id = any(p_group_ids) and g.ending is not null and not g.doomed
        order by g.step_id
    loop
        perform tenure_private.call_off_under(r_group.step_id, r_group.reason, p_now);
    end loop;
end
$function$;
comment on function tenure_private.call_off_ending(bigint[], timestamptz) is
'Calls off what is still open in those of these groups that are ending.';
revoke all on function tenure_private.call_off_ending(bigint[], timestamptz) from public;

-- sql/functions/private/call_off_orphans.sql
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

-- sql/functions/private/call_off_steps.sql
create or replace function tenure_private.call_off_steps(p_step_ids bigint[], p_reason text, p_now timestamptz)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_outcome constant tenure_private.outcome = tenure_private.call_off(p_reason);
begin
    if p_step_ids <> '{}' then
        perform tenure_private.notify_owners(p_step_ids);
        perform tenure_private.log_attempts(p_step_ids, v_outcome, p_now);
        perform tenure_private.land(p_step_ids, null, v_outcome, p_now, null, null);
    end if;
end
$function$;
comment on function tenure_private.call_off_steps(bigint[], text, timestamptz) is
'Cancels unfinished steps, which the caller has locked, and tells their workers.';
revoke all on function tenure_private.call_off_steps(bigint[], text, timestamptz) from public;

-- sql/functions/private/call_off_under.sql
create or replace function tenure_private.call_off_under(p_group_id bigint, p_reason text, p_now timestamptz)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- Locks: the steps below, tried: their reports hold them, and may be waiting for rows of this transaction. While one is
-- missing no group below ends, and this group is looked at again by the next fold.
declare
    v_under constant bigint [] = tenure_private.unfinished_under(p_group_id);
    v_locked bigint [];
    v_missed boolean;
    v_kept bigint [];
begin
    update tenure_private.step_group as g set ending = p_reason, doomed = g.step_id <> p_group_id
    where g.step_id = p_group_id or g.step_id = any(v_under);
    select coalesce(array_agg(l.step_id), '{}') into strict v_locked
    from (
        select s.step_id
        from tenure_private.step as s
        where s.step_id = any(v_under) and s.finished_at is null
        order by s.step_id
        for no key update skip locked
    ) as l;
    select exists (
        select from tenure_private.step as s
        where s.step_id = any(v_under) and s.finished_at is null and s.step_id <> all(v_locked)
    ) into strict v_missed;
    if v_missed then
        select coalesce(array_agg(s.step_id order by s.step_id), '{}') into strict v_locked
        from tenure_private.step as s where s.step_id = any(v_locked) and not s.tree;
        insert into tenure_private.event (run_id, step_ids, held)
        select s.root_id, array[p_group_id], false from tenure_private.step as s where s.step_id = p_group_id;
    end if;
    v_kept := tenure_private.keep_doubt(v_locked, p_now);
    perform tenure_private.call_off_steps(
        array(select u.step_id from unnest(v_locked) as u (step_id) where u.step_id <> all(v_kept)), p_reason, p_now
    );
end
$function$;
comment on function tenure_private.call_off_under(bigint, text, timestamptz) is
'Cancels what is unfinished below a group; groups in which an outside commit is in doubt are discarded.';
revoke all on function tenure_private.call_off_under(bigint, text, timestamptz) from public;

-- sql/functions/private/caller.sql
create or replace function tenure_private.caller()
returns name
language sql stable parallel safe
as $function$
-- Unpinned and plain, so that the planner inlines it. Inside SECURITY DEFINER current_user is the owner.
select coalesce(nullif(pg_catalog.current_setting('role'), 'none'), session_user)::pg_catalog.name;
$function$;
comment on function tenure_private.caller() is 'The role that the session acts as: by SET ROLE, else that of its login.';
revoke all on function tenure_private.caller() from public;

-- sql/functions/private/catalogue.sql
create or replace function tenure_private.catalogue()
returns setof tenure_private.fact
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
set quote_all_identifiers = off
set intervalstyle = postgres
set extra_float_digits = 1
as $function$
-- Facts rather than deparsed text, which differs between majors; where text it must be, it hangs on no setting of
-- the session. Owners appear by name, as do grantees. Rights that nobody has touched are those that are built in. What
-- nothing of Tenure's has, such as heirs of a table, is a fact only where it is there.
declare
    v_schemas constant oid [] = array['tenure'::regnamespace, 'tenure_private'::regnamespace]::oid [];
begin
    return query
    select f.object, f.aspect, f.fact from tenure_private.schema_facts(v_schemas) as f where f.fact is not null;
    return query
    select f.object, f.aspect, f.fact from tenure_private.function_facts(v_schemas) as f where f.fact is not null;
    return query
    select f.object, f.aspect, f.fact from tenure_private.relation_facts(v_schemas) as f where f.fact is not null;
    return query
    select f.object, f.aspect, f.fact from tenure_private.column_facts(v_schemas) as f where f.fact is not null;
    return query
    select f.object, f.aspect, f.fact from tenure_private.check_facts(v_schemas) as f where f.fact is not null;
    return query
    select f.object, f.aspect, f.fact from tenure_private.seed_facts() as f;
end
$function$;
comment on function tenure_private.catalogue() is 'What the system catalogues say of everything in the two schemas, and which rows of the install are there, one fact a row.';
revoke all on function tenure_private.catalogue() from public;

-- sql/functions/private/check_backoff.sql
create or replace function tenure_private.check_backoff(p_backoff jsonb)
returns void
language plpgsql volatile parallel unsafe strict
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_kind constant text = coalesce(p_backoff ->> 'kind', 'exponential');
    v_problem text;
begin
    v_problem := case
        when jsonb_typeof(p_backoff) <> 'object' then 'It is no object.'
        when p_backoff - array['kind', 'base', 'factor', 'cap', 'jitter'] <> '{}' then
            'It has an unknown member: ' || (p_backoff - array['kind', 'base', 'factor', 'cap', 'jitter'])::text
        when v_kind not in ('exponential', 'fixed', 'linear') then format('Unknown kind %s.', v_kind)
        when exists (
            select from jsonb_each(p_backoff) as m where m.key <> 'kind' and jsonb_typeof(m.value) <> 'number'
        ) then 'base, factor, cap and jitter are numbers.'
        -- Compared as numeric: a jsonb number may be too large for a double.
        when coalesce((p_backoff ->> 'base')::numeric, 1) not between 0 and 3155760000 then 'base is out of range.'
        when coalesce((p_backoff ->> 'base')::numeric, 1) < 0.000001 and v_kind <> 'fixed' then
            'base 0 would retry without any delay; only kind fixed may have it.'
        when coalesce((p_backoff ->> 'factor')::numeric, 2) not between 1 and 1000 then
            'factor is not between 1 and 1000.'
        when coalesce((p_backoff ->> 'cap')::numeric, 3600) not between 0.001 and 3155760000 then 'cap is out of range.'
        when coalesce((p_backoff ->> 'jitter')::numeric, 0.2) not between 0 and 1 then 'jitter is not between 0 and 1.'
    end;
    if v_problem is not null then
        perform tenure_private.refuse(
            'argument_invalid', 'backoff is malformed', v_problem,
            'Example: {"kind": "exponential", "base": 1, "factor": 2, "cap": 3600, "jitter": 0.2}; seconds; kinds exponential, linear, fixed.'
        );
    end if;
end
$function$;
comment on function tenure_private.check_backoff(jsonb) is 'Refuses (TN007) a backoff that backoff() could not follow.';
revoke all on function tenure_private.check_backoff(jsonb) from public;

-- sql/functions/private/check_claim.sql
create or replace function tenure_private.check_claim(p_owner text, p_max_steps int, p_lease_ttl interval)
returns interval
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    if current_setting('transaction_isolation') <> 'read committed' then
        perform tenure_private.refuse(
            'isolation_level', 'claim needs READ COMMITTED',
            format('The transaction is %s.', current_setting('transaction_isolation')),
            'A frozen snapshot would hide committed steps; begin the transaction at READ COMMITTED.'
        );
    end if;
    perform tenure_private.check_name(p_owner, 'owner');
    perform tenure_private.check_max_steps(p_max_steps);
    if p_lease_ttl is null or p_lease_ttl <= interval '0' then
        perform tenure_private.refuse(
            'duration_invalid', 'lease_ttl must be longer than nothing',
            format('Given: %s.', p_lease_ttl), 'Give for example 30 s.'
        );
    end if;
    return tenure_private.duration(p_lease_ttl, 'lease_ttl');
end
$function$;
comment on function tenure_private.check_claim(text, int, interval) is 'Refuses malformed arguments of a claim; the ttl comes back as pure seconds.';
revoke all on function tenure_private.check_claim(text, int, interval) from public;

-- sql/functions/private/check_cycles.sql
create or replace function tenure_private.check_cycles(p_workflow_id int)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- Takes away the nodes that wait for none of the rest, again and again; what is left waits for itself.
declare
    v_left int [];
    v_rest int [];
begin
    select array_agg(n.node_id) into strict v_rest from tenure_private.node as n where n.workflow_id = p_workflow_id;
    loop
        v_left := v_rest;
        select coalesce(array_agg(u.node_id), '{}') into strict v_rest
        from unnest(v_left) as u (node_id)
        where exists (
            select from tenure_private.need as w where w.node_id = u.node_id and w.producer_id = any(v_left)
        );
        exit when cardinality(v_rest) = 0 or cardinality(v_rest) = cardinality(v_left);
    end loop;
    if cardinality(v_rest) > 0 then
        perform tenure_private.refuse(
            'workflow_invalid', 'nodes wait for each other in a cycle',
            (
                select format('On it, or behind it: %s.', string_agg(n.name, ', ' order by n.node_id))
                from tenure_private.node as n
                where n.node_id = any(v_rest)
            ),
            'Let no node require, by any way, what it provides.'
        );
    end if;
end
$function$;
comment on function tenure_private.check_cycles(int) is 'Refuses (TN031) a version of a workflow with a cycle.';
revoke all on function tenure_private.check_cycles(int) from public;

-- sql/functions/private/check_definition.sql
create or replace function tenure_private.check_definition(p_name text, p_queue text)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- A definition says where steps of its name go. Who could move a name out of another's queue would get that one's work.
-- One without a queue is for the default one.
begin
    perform tenure_private.check_queue(q.queue_id, p_queue)
    from tenure_private.queue as q
    left join tenure_private.definition as d on d.name = p_name
    where q.name = coalesce(p_queue, 'default')
        or (d.name is not null and q.name = coalesce(d.queue, 'default'))
    order by q.name is distinct from p_queue;
end
$function$;
comment on function tenure_private.check_definition(text, text) is
'Refuses (TN018) to define a name for a queue that the caller may not use, or to take it away from one.';
revoke all on function tenure_private.check_definition(text, text) from public;

-- sql/functions/private/check_extent.sql
create or replace function tenure_private.check_extent(p_workflow_id int)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- Level by level, each workflow once a level with how often it is mounted there: forty levels of two mounts each are
-- a short definition and more steps than any disk holds. What maps make is bounded by itself.
declare
    v_ids int [] := array[p_workflow_id];
    v_times bigint [] := array[1]::bigint [];
    v_steps bigint := 0::bigint;
begin
    while v_ids is not null loop
        select v_steps + sum(u.times)::bigint into strict v_steps
        from unnest(v_ids, v_times) as u (id, times)
        join tenure_private.node as n on n.workflow_id = u.id;
        if v_steps > 10000 then
            perform tenure_private.refuse(
                'workflow_invalid', 'the workflow is too large', 'A run would begin with more than 10000 steps.',
                'Use a map, or start runs of their own.'
            );
        end if;
        select array_agg(m.id), array_agg(m.times) into strict v_ids, v_times
        from (
            select (tenure_private.latest_workflow(n.workflow)).workflow_id as id, sum(u.times)::bigint as times
            from unnest(v_ids, v_times) as u (id, times)
            join tenure_private.node as n on n.workflow_id = u.id and n.workflow is not null and n.map_key is null
            group by n.workflow
        ) as m;
    end loop;
end
$function$;
comment on function tenure_private.check_extent(int) is
'Refuses (TN031) a version of a workflow that would have more than 10,000 steps, mounted workflows included, maps aside.';
revoke all on function tenure_private.check_extent(int) from public;

-- sql/functions/private/check_facts.sql
create or replace function tenure_private.check_facts(p_schemas oid[])
returns setof tenure_private.fact
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    -- NOT NULL stands with the columns: before PostgreSQL 18 it was no constraint.
    return query
    select
        format(
            'constraint %s on %s',
            k.conname, coalesce(nullif(k.conrelid, 0)::regclass::text, k.contypid::regtype::text)
        ),
        f.aspect, f.fact
    from pg_constraint as k
    cross join lateral (values
        ('definition', pg_get_constraintdef(k.oid)),
        (
            'state', (
                select 'switched off'
                from pg_trigger as t
                where t.tgconstraint = k.oid and t.tgenabled <> 'O'
                limit 1
            )
        ),
        ('comment', obj_description(k.oid, 'pg_constraint'))
    ) as f (aspect, fact)
    left join pg_class as r on r.oid = k.confrelid
    -- A foreign key from outside on a table here keeps rows from being purged.
    where (k.connamespace = any(p_schemas) and k.contype <> 'n') or r.relnamespace = any(p_schemas);

    return query
    select format('rule %s on %s', r.rulename, r.ev_class::regclass), f.aspect, f.fact
    from pg_rewrite as r
    join pg_class as c on c.oid = r.ev_class
    cross join lateral (values
        ('definition', case when r.rulename <> '_RETURN' then pg_get_ruledef(r.oid) end),
        ('state', case when r.ev_enabled <> 'O' then 'switched off' end)
    ) as f (aspect, fact)
    where c.relnamespace = any(p_schemas);

    return query
    select format('trigger %s on %s', t.tgname, t.tgrelid::regclass), f.aspect, f.fact
    from pg_trigger as t
    join pg_class as c on c.oid = t.tgrelid
    cross join lateral (values
        ('definition', pg_get_triggerdef(t.oid)),
        ('state', case t.tgenabled when 'O' then 'on' when 'D' then 'switched off' else 'on by replication role' end),
        ('comment', obj_description(t.oid, 'pg_trigger'))
    ) as f (aspect, fact)
    where c.relnamespace = any(p_schemas) and not t.tgisinternal;

    return query
    select
        format('policy %s on %s', l.polname, l.polrelid::regclass),
        'definition',
        concat_ws(
            ' ', l.polcmd, case when l.polpermissive then 'permissive' else 'restrictive' end,
            pg_get_expr(l.polqual, l.polrelid), pg_get_expr(l.polwithcheck, l.polrelid)
        )
    from pg_policy as l
    join pg_class as c on c.oid = l.polrelid
    where c.relnamespace = any(p_schemas);
end
$function$;
comment on function tenure_private.check_facts(oid[]) is 'The part of catalogue() about constraints, rules, triggers and policies.';
revoke all on function tenure_private.check_facts(oid[]) from public;

-- sql/functions/private/check_headers.sql
create or replace function tenure_private.check_headers(p_headers jsonb)
returns void
language plpgsql volatile parallel unsafe strict
set search_path = pg_catalog, pg_temp
as $function$
begin
    if jsonb_typeof(p_headers) <> 'object' then
        perform tenure_private.refuse(
            'argument_invalid', 'headers is no object',
            format('Given: %s.', jsonb_typeof(p_headers)), 'Give a JSON object.'
        );
    end if;
    perform tenure_private.check_size('headers', tenure_private.document_size(p_headers));
end
$function$;
comment on function tenure_private.check_headers(jsonb) is 'Refuses headers that are no object (TN007) or too large (TN008).';
revoke all on function tenure_private.check_headers(jsonb) from public;

-- sql/functions/private/check_in_time.sql
create or replace function tenure_private.check_in_time(p_step tenure_private.step, p_now timestamptz)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    if p_step.group_limit_at <= p_now or tenure_private.limit_passed(
        p_now, p_step.deadline_at, p_step.started_at, p_step.timeout, p_step.progress_at, p_step.progress_timeout
    ) is not null then
        perform tenure_private.refuse(
            'stale', 'the time of the execution is over', format('Step %s has passed a limit.', p_step.step_id),
            'Stop the handler: whatever it reports now is too late.'
        );
    end if;
end
$function$;
comment on function tenure_private.check_in_time(tenure_private.step, timestamptz) is
'Refuses (TN014) a call of a running step that has passed one of its limits, where there is no verdict to answer.';
revoke all on function tenure_private.check_in_time(tenure_private.step, timestamptz) from public;

-- sql/functions/private/check_input.sql
create or replace function tenure_private.check_input(p_input jsonb)
returns void
language plpgsql volatile parallel unsafe strict
set search_path = pg_catalog, pg_temp
as $function$
begin
    if jsonb_typeof(p_input) <> 'object' then
        perform tenure_private.refuse(
            'argument_invalid', 'the input of a workflow is no object', format('Given: %s.', jsonb_typeof(p_input)),
            'Give a JSON object: its members are the first keys.'
        );
    end if;
    perform tenure_private.check_size('input', tenure_private.document_size(p_input));
end
$function$;
comment on function tenure_private.check_input(jsonb) is 'Refuses an input of a workflow that is no object (TN007) or too large (TN008).';
revoke all on function tenure_private.check_input(jsonb) from public;

-- sql/functions/private/check_items.sql
create or replace function tenure_private.check_items(p_items jsonb)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_problem text;
begin
    if p_items is null or jsonb_typeof(p_items) <> 'array' then
        v_problem := 'It is no array.';
    else
        select format('Element %s is no object.', i.n - 1) into v_problem
        from jsonb_array_elements(p_items) with ordinality as i (item, n)
        where jsonb_typeof(i.item) <> 'object'
        limit 1;
    end if;
    if v_problem is not null then
        perform tenure_private.refuse(
            'argument_invalid', 'steps is malformed',
            v_problem, 'Give an array of objects such as {"name": "mail", "input": {}}.'
        );
    end if;
end
$function$;
comment on function tenure_private.check_items(jsonb) is 'Refuses (TN007) what is no array of objects.';
revoke all on function tenure_private.check_items(jsonb) from public;

-- sql/functions/private/check_leaf_only.sql
create or replace function tenure_private.check_leaf_only(
    p_max_reclaims int, p_on_timeout text, p_start_within interval, p_progress_timeout interval
)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    if num_nonnulls(p_max_reclaims, p_on_timeout, p_start_within, p_progress_timeout) > 0 then
        perform tenure_private.refuse(
            'argument_invalid', 'a workflow is never claimed, so it has no limits of executions',
            'Given: max_reclaims, on_timeout, start_within or progress_timeout.',
            'Give these to its steps: see tenure.define_step.'
        );
    end if;
end
$function$;
comment on function tenure_private.check_leaf_only(int, text, interval, interval) is
'Refuses (TN007), for a run of a workflow, what only a step that is claimed can have.';
revoke all on function tenure_private.check_leaf_only(int, text, interval, interval) from public;

-- sql/functions/private/check_lease.sql
create or replace function tenure_private.check_lease(
    p_step tenure_private.step, p_step_id bigint, p_owner text, p_generation bigint
)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    if p_step.state is distinct from 'running' or p_step.lease_owner <> p_owner
        or p_step.lease_generation <> p_generation
    then
        perform tenure_private.refuse(
            'stale', 'the lease is no longer the caller''s',
            format('Step %s is %s.', p_step_id, coalesce(p_step.state, 'unknown')),
            'Stop the handler: another execution may be running.'
        );
    end if;
end
$function$;
comment on function tenure_private.check_lease(tenure_private.step, bigint, text, bigint) is
'Refuses (TN014) a call without the lease, where there is no verdict to answer; p_step: NULL where there is no such step.';
revoke all on function tenure_private.check_lease(tenure_private.step, bigint, text, bigint) from public;

-- sql/functions/private/check_max_steps.sql
create or replace function tenure_private.check_max_steps(p_max_steps int)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    if p_max_steps is null or p_max_steps not between 1 and 1000 then
        perform tenure_private.refuse(
            'argument_invalid', 'max_steps is out of range', format('Given: %s.', p_max_steps), 'Give 1 to 1000.'
        );
    end if;
end
$function$;
comment on function tenure_private.check_max_steps(int) is 'Refuses (TN007) a batch size outside 1 to 1000.';
revoke all on function tenure_private.check_max_steps(int) from public;

-- sql/functions/private/check_members.sql
create or replace function tenure_private.check_members(p_object jsonb, p_known text[], p_what text)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_unknown text;
begin
    if p_object is null or jsonb_typeof(p_object) <> 'object' then
        perform tenure_private.refuse(
            'argument_invalid', format('%s is no object', p_what),
            format('Given: %s.', coalesce(left(p_object::text, 200), 'NULL')),
            'Give a JSON object.'
        );
    end if;
    select min(m.key) into strict v_unknown from jsonb_object_keys(p_object) as m (key) where m.key <> all(p_known);
    if v_unknown is not null then
        perform tenure_private.refuse(
            'argument_invalid', format('%s has an unknown key', p_what), format('Key %s.', v_unknown),
            format('Known are: %s.', array_to_string(p_known, ', '))
        );
    end if;
end
$function$;
comment on function tenure_private.check_members(jsonb, text[], text) is
'Refuses (TN007) what is no object, or has members other than these.';
revoke all on function tenure_private.check_members(jsonb, text[], text) from public;

-- sql/functions/private/check_mount_units.sql
create or replace function tenure_private.check_mount_units(p_workflow_id int)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- volatile: as latest_workflow().
begin
    perform tenure_private.check_units(q, coalesce(d.quota_units, 1))
    from (
        with recursive reached (workflow_id, quota) as (
            select p_workflow_id, null::text collate "C"
            union
            select (tenure_private.latest_workflow(n.workflow)).workflow_id, u.quota
            from reached as r
            join tenure_private.node as n on n.workflow_id = r.workflow_id and n.workflow is not null
            cross join unnest(array[r.quota, n.quota]) as u (quota)
        )
        select distinct r.quota, n.step
        from reached as r
        join tenure_private.node as n on n.workflow_id = r.workflow_id and n.workflow is null
        where r.quota is not null
    ) as s
    join tenure_private.quota as q on q.name = s.quota
    left join tenure_private.definition as d on d.name = s.step
    order by q.name, s.step;
end
$function$;
comment on function tenure_private.check_mount_units(int) is
'Refuses a workflow that mounts a step under a quota which could never hold its units.';
revoke all on function tenure_private.check_mount_units(int) from public;

-- sql/functions/private/check_mounts.sql
create or replace function tenure_private.check_mounts(p_workflow_id int)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- The elements of a map are the inputs of what it mounts, and what they hold is not known beforehand.
declare
    v_sub tenure_private.workflow;
    v_unknown text;
    r_mount record;
begin
    for r_mount in
        select n.name, n.workflow, n.map_key, n.provides, n.requires || n.optional as supplies
        from tenure_private.node as n
        where n.workflow_id = p_workflow_id and n.workflow is not null
        order by n.node_id
    loop
        v_sub := tenure_private.latest_workflow(r_mount.workflow);
        continue when r_mount.map_key is not null;
        select min(u.key) into strict v_unknown
        from unnest(r_mount.provides) as u (key)
        where u.key <> all(tenure_private.output_keys(v_sub.workflow_id));
        if v_unknown is not null then
            perform tenure_private.refuse(
                'workflow_invalid', 'a mount provides a key that its workflow does not give out',
                format('Node %s, workflow %s, key %s.', r_mount.name, v_sub.name, v_unknown),
                'Add it to the outputs there.'
            );
        end if;
        select min(w.key) into strict v_unknown
        from tenure_private.node as n
        join tenure_private.need as w on w.node_id = n.node_id
        where n.workflow_id = v_sub.workflow_id and w.producer_id is null and not w.optional
            and w.key <> all(r_mount.supplies);
        if v_unknown is not null then
            perform tenure_private.refuse(
                'workflow_invalid', 'a mount does not supply a key that its workflow requires',
                format('Node %s, workflow %s, key %s.', r_mount.name, v_sub.name, v_unknown),
                'Add it to what the mount requires.'
            );
        end if;
    end loop;
end
$function$;
comment on function tenure_private.check_mounts(int) is
'Refuses a version of a workflow that mounts an unknown workflow (TN030), or one that lacks or misses a key (TN031).';
revoke all on function tenure_private.check_mounts(int) from public;

-- sql/functions/private/check_name.sql
create or replace function tenure_private.check_name(p_value text, p_what text)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    if p_value is null or p_value = '' then
        perform tenure_private.refuse(
            'name_invalid', format('%s must not be null or empty', p_what),
            format('It is %s.', case when p_value is null then 'NULL' else 'an empty string' end),
            format('Give %s as text of 1 to 1000 bytes.', p_what)
        );
    elsif octet_length(p_value) > 1000 then
        perform tenure_private.refuse(
            'name_invalid', format('%s is too long', p_what), format('It has %s bytes.', octet_length(p_value)),
            format('Give %s as text of 1 to 1000 bytes.', p_what)
        );
    end if;
end
$function$;
comment on function tenure_private.check_name(text, text) is
'Refuses (TN005) a name, owner, key or queue that is NULL, empty or over 1000 bytes. Any character is allowed.';
revoke all on function tenure_private.check_name(text, text) from public;

-- sql/functions/private/check_node.sql
create or replace function tenure_private.check_node(p_node tenure_private.node, p_given jsonb)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_problem text;
begin
    v_problem := case
        when jsonb_typeof(nullif(p_given -> 'inherit', 'null')) <> 'boolean' then 'inherit is neither true nor false.'
        when p_node.workflow is not null and p_given ? 'step' then 'It has a step and a workflow.'
        when p_node.requires && p_node.optional then 'A key is required and optional.'
        when p_node.map_key = any(p_node.optional) then 'The key of its map is optional.'
        when p_node.map_key is not null and cardinality(p_node.provides) > 1 then
            'It is a map and provides more than one key.'
    end;
    if v_problem is not null then
        perform tenure_private.refuse(
            'workflow_invalid', 'a node contradicts itself', format('Node %s. %s', p_node.name, v_problem),
            'See the workflows page for what a node may say.'
        );
    end if;
end
$function$;
comment on function tenure_private.check_node(tenure_private.node, jsonb) is
'Refuses (TN031) a node whose members do not go together; p_given: as it was written.';
revoke all on function tenure_private.check_node(tenure_private.node, jsonb) from public;

-- sql/functions/private/check_outputs.sql
create or replace function tenure_private.check_outputs(p_outputs jsonb[], p_count int)
returns void
language plpgsql volatile parallel unsafe strict
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_largest int;
begin
    if cardinality(p_outputs) <> p_count then
        perform tenure_private.refuse(
            'argument_invalid', 'outputs and step_ids do not pair up',
            format('%s outputs, %s step_ids.', cardinality(p_outputs), p_count),
            'Give one output for each step, NULL for none.'
        );
    end if;
    select max(pg_column_size(o.value)) into strict v_largest from unnest(p_outputs) as o (value);
    perform tenure_private.check_size('output', v_largest);
end
$function$;
comment on function tenure_private.check_outputs(jsonb[], int) is 'Refuses outputs that are not one for each step (TN007) or too large (TN008).';
revoke all on function tenure_private.check_outputs(jsonb[], int) from public;

-- sql/functions/private/check_outputs_known.sql
create or replace function tenure_private.check_outputs_known(p_workflow_id int)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- Inputs are not declared: whatever a node needs and none provides can be one.
declare
    v_unknown text;
begin
    select min(u.key) into strict v_unknown
    from tenure_private.workflow as w
    cross join unnest(w.outputs) as u (key)
    where w.workflow_id = p_workflow_id
        and not exists (
            select
            from tenure_private.node as n
            where n.workflow_id = w.workflow_id
                and (u.key = any(n.provides) or exists (
                    select from tenure_private.need as d where d.node_id = n.node_id and d.key = u.key
                ))
        );
    if v_unknown is not null then
        perform tenure_private.refuse(
            'workflow_invalid', 'outputs has an unknown key', format('Key %s.', v_unknown),
            'Name keys that a node provides or needs.'
        );
    end if;
end
$function$;
comment on function tenure_private.check_outputs_known(int) is 'Refuses (TN031) a version of a workflow that gives out a key of which none of its nodes knows.';
revoke all on function tenure_private.check_outputs_known(int) from public;

-- sql/functions/private/check_pairs.sql
create or replace function tenure_private.check_pairs(p_step_ids bigint[], p_owner text, p_generations bigint[])
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    perform tenure_private.check_name(p_owner, 'owner');
    if p_step_ids is null or p_generations is null or cardinality(p_step_ids) <> cardinality(p_generations)
        or array_ndims(p_step_ids) > 1 or array_ndims(p_generations) > 1
        or array_position(p_step_ids, null) is not null or array_position(p_generations, null) is not null
    then
        perform tenure_private.refuse(
            'argument_invalid', 'step_ids and generations do not pair up',
            format('%s step_ids, %s generations.', cardinality(p_step_ids), cardinality(p_generations)),
            'Give two arrays of one length without nulls.'
        );
    end if;
end
$function$;
comment on function tenure_private.check_pairs(bigint[], text, bigint[]) is 'Refuses (TN007) a batch whose arrays do not pair up.';
revoke all on function tenure_private.check_pairs(bigint[], text, bigint[]) from public;

-- sql/functions/private/check_producers.sql
create or replace function tenure_private.check_producers(p_workflow_id int)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    r_twice record;
begin
    for r_twice in
        select k.key, string_agg(n.name, ', ' order by n.node_id) as names
        from tenure_private.node as n
        cross join unnest(n.provides) as k (key)
        where n.workflow_id = p_workflow_id
        group by k.key
        having count(*) > 1
        order by k.key
        limit 1
    loop
        perform tenure_private.refuse(
            'workflow_invalid', 'a key has two producers', format('Key %s: nodes %s.', r_twice.key, r_twice.names),
            'Let one node provide it.'
        );
    end loop;
end
$function$;
comment on function tenure_private.check_producers(int) is 'Refuses (TN031) a version of a workflow in which two nodes provide one key.';
revoke all on function tenure_private.check_producers(int) from public;

-- sql/functions/private/check_provided.sql
create or replace function tenure_private.check_provided(p_step tenure_private.step, p_key text)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    if p_step.position is not null or not exists (
        select from tenure_private.node as n where n.node_id = p_step.node_id and p_key = any(n.provides)
    ) then
        perform tenure_private.refuse(
            'argument_invalid', 'the step does not provide this key', format('Step %s, key %s.', p_step.step_id, p_key),
            'Name it under provides of the node. Plain jobs have no keys, and of the elements of a map the outputs are gathered.'
        );
    end if;
end
$function$;
comment on function tenure_private.check_provided(tenure_private.step, text) is 'Refuses (TN007) a key that a step may not publish.';
revoke all on function tenure_private.check_provided(tenure_private.step, text) from public;

-- sql/functions/private/check_queue.sql
create or replace function tenure_private.check_queue(p_queue_id int, p_given text)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- It is named only to who has named it: where others' steps go is not for everybody to know.
begin
    if p_queue_id = any(tenure_private.closed_queues()) then
        perform tenure_private.refuse(
            'queue_not_granted', 'the queue is not the caller''s to use',
            case
                when exists (select from tenure_private.queue as q where q.queue_id = p_queue_id and q.name = p_given)
                then format('Queue %s.', p_given)
                else 'The queue that it would go to.'
            end,
            'An operator can grant it: select tenure.grant_queue(queue, role).'
        );
    end if;
end
$function$;
comment on function tenure_private.check_queue(int, text) is
'Refuses (TN018) a queue that the caller may not use, and says its name if that is what the caller gave.';
revoke all on function tenure_private.check_queue(int, text) from public;

-- sql/functions/private/check_recursion.sql
create or replace function tenure_private.check_recursion(p_name text)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- By name, for a run takes the newest version of each. UNION ends the walk even where there is a cycle.
begin
    if exists (
        with recursive latest as (
            select distinct on (w.name) w.name, w.workflow_id
            from tenure_private.workflow as w
            order by w.name, w.version desc
        ),
        mounted (name) as (
            select n.workflow
            from latest as l
            join tenure_private.node as n on n.workflow_id = l.workflow_id and n.workflow is not null
            where l.name = p_name
            union
            select n.workflow
            from mounted as m
            join latest as l on l.name = m.name
            join tenure_private.node as n on n.workflow_id = l.workflow_id and n.workflow is not null
        )
        select from mounted as m where m.name = p_name
    ) then
        perform tenure_private.refuse(
            'workflow_invalid', 'the workflow would mount itself',
            format('Workflow %s, perhaps by way of others.', p_name),
            'Let no workflow mount, by any way, itself.'
        );
    end if;
end
$function$;
comment on function tenure_private.check_recursion(text) is 'Refuses (TN031) a workflow whose newest version mounts itself, by whatever way.';
revoke all on function tenure_private.check_recursion(text) from public;

-- sql/functions/private/check_run_queues.sql
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

-- sql/functions/private/check_settings.sql
create or replace function tenure_private.check_settings(
    p_priority int,
    p_timeout interval,
    p_deadline interval,
    p_max_attempts int,
    p_backoff jsonb,
    p_max_reclaims int,
    p_on_timeout text,
    p_start_within interval,
    p_progress_timeout interval,
    p_idempotency_period interval
)
returns tenure_private.settings
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_settings tenure_private.settings;
begin
    if p_priority not between -100 and 100 then
        perform tenure_private.refuse(
            'argument_invalid', 'priority is out of range',
            format('Given: %s.', p_priority), 'Give -100 (first) to 100 (last).'
        );
    elsif p_on_timeout not in ('abandon', 'wait') then
        perform tenure_private.refuse(
            'argument_invalid', 'on_timeout is unknown', format('Given: %s.', p_on_timeout), 'Give abandon or wait.'
        );
    elsif p_max_reclaims < -1 then
        perform tenure_private.refuse(
            'argument_invalid', 'max_reclaims is out of range', format('Given: %s.', p_max_reclaims),
            'Give 0 or more, or -1 for no bound.'
        );
    end if;
    perform tenure_private.check_backoff(p_backoff);
    -- Not said stays not said: greatest() alone would make one attempt of it.
    v_settings.max_attempts := case when p_max_attempts is not null then greatest(p_max_attempts, 1) end;
    v_settings.timeout := tenure_private.duration(p_timeout, 'timeout');
    v_settings.deadline := tenure_private.duration(p_deadline, 'deadline');
    v_settings.start_within := tenure_private.duration(p_start_within, 'start_within');
    v_settings.progress_timeout := tenure_private.duration(p_progress_timeout, 'progress_timeout');
    v_settings.idempotency_period := tenure_private.duration(p_idempotency_period, 'idempotency_period');
    return v_settings;
end
$function$;
comment on function tenure_private.check_settings(
    int, interval, interval, int, jsonb, int, text, interval, interval, interval
) is 'Refuses a malformed policy, of a call or of a definition; durations come back as pure seconds.';
revoke all on function tenure_private.check_settings(
    int, interval, interval, int, jsonb, int, text, interval, interval, interval
) from public;

-- sql/functions/private/check_size.sql
create or replace function tenure_private.check_size(p_what text, p_bytes int)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- No setting may be under 8 kB, so that nothing is looked up for the many small documents.
declare
    v_limit int;
begin
    if p_bytes <= 8192 then
        return;
    end if;
    select s.bytes into strict v_limit
    from tenure_private.setting as s
    where s.name = case p_what when 'definition' then 'input' else p_what end;
    if p_bytes > v_limit then
        perform tenure_private.refuse(
            'too_large', format('%s is too large', p_what),
            format('It takes %s bytes; the limit is %s.', p_bytes, v_limit),
            'Store the data elsewhere and pass a reference to it.'
        );
    end if;
end
$function$;
comment on function tenure_private.check_size(text, int) is
'Refuses (TN008) a document that takes more bytes, as jsonb, than the setting of this name allows; a definition of a workflow may be as large as an input.';
revoke all on function tenure_private.check_size(text, int) from public;

-- sql/functions/private/check_timeout.sql
create or replace function tenure_private.check_timeout(p_queue tenure_private.queue, p_timeout interval)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    if p_timeout < p_queue.timeout_floor or p_timeout > p_queue.timeout_ceiling then
        perform tenure_private.refuse(
            'timeout_out_of_bounds', 'timeout is out of the bounds of its queue',
            format(
                'Given: %s; queue %s: from %s to %s.', p_timeout, p_queue.name,
                coalesce(p_queue.timeout_floor::text, 'any'), coalesce(p_queue.timeout_ceiling::text, 'any')
            ),
            'Give a timeout within them, or use another queue.'
        );
    end if;
end
$function$;
comment on function tenure_private.check_timeout(tenure_private.queue, interval) is
'Refuses (TN009) a timeout outside its queue''s floor and ceiling.';
revoke all on function tenure_private.check_timeout(tenure_private.queue, interval) from public;

-- sql/functions/private/check_units.sql
create or replace function tenure_private.check_units(p_quota tenure_private.quota, p_units int)
returns void
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    if p_units is null or p_units < 1 then
        perform tenure_private.refuse(
            'argument_invalid', 'quota_units is out of range', format('Given: %s.', p_units), 'Give 1 or more.'
        );
    elsif p_units > p_quota.capacity then
        perform tenure_private.refuse(
            'argument_invalid', 'the quota could never hold these units',
            format('Units %s, capacity of quota %s: %s.', p_units, p_quota.name, p_quota.capacity),
            'Give fewer units, or raise the capacity first: select tenure.set_quota(name, capacity).'
        );
    end if;
end
$function$;
comment on function tenure_private.check_units(tenure_private.quota, int) is
'Refuses units under 1, and those above the capacity of the quota; a quota of NULLs bounds nothing.';
revoke all on function tenure_private.check_units(tenure_private.quota, int) from public;

-- sql/functions/private/check_workflow.sql
create or replace function tenure_private.check_workflow(p_definition jsonb)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    perform tenure_private.check_size('definition', tenure_private.document_size(p_definition));
    perform tenure_private.check_members(
        p_definition, array['nodes', 'policy', 'on_failure', 'outputs'], 'the definition'
    );
    if jsonb_typeof(p_definition -> 'nodes') is distinct from 'array' or p_definition -> 'nodes' = '[]' then
        perform tenure_private.refuse(
            'workflow_invalid', 'the workflow has no nodes',
            format('nodes: %s.', coalesce(left((p_definition -> 'nodes')::text, 200), 'not given')),
            'Give an array of nodes such as [{"name": "fetch", "provides": ["page"]}].'
        );
    elsif coalesce(tenure_private.text_member(p_definition, 'on_failure'), 'cancel') not in ('cancel', 'continue') then
        perform tenure_private.refuse(
            'argument_invalid', 'on_failure is unknown',
            format('Given: %s.', left(p_definition ->> 'on_failure', 200)), 'Give cancel or continue.'
        );
    end if;
end
$function$;
comment on function tenure_private.check_workflow(jsonb) is
'Refuses a definition that is malformed (TN007), too large (TN008) or empty (TN031); its nodes are looked at later.';
revoke all on function tenure_private.check_workflow(jsonb) from public;

-- sql/functions/private/child_settings.sql
create or replace function tenure_private.child_settings(
    p_by tenure_private.step,
    p_name text,
    p_queue text,
    p_priority int,
    p_timeout interval,
    p_deadline interval,
    p_max_attempts int,
    p_backoff jsonb,
    p_max_reclaims int,
    p_on_timeout text,
    p_start_within interval,
    p_progress_timeout interval,
    p_idempotency_period interval
)
returns tenure_private.settings
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- What wraps each node of the group wraps it too. Inside of that, what the call says, else the definition.
declare
    v_group tenure_private.step_group;
    v_own tenure_private.definition;
    v_settings tenure_private.settings;
    v_policy tenure_private.settings;
begin
    select g.* into v_group from tenure_private.step_group as g where g.step_id = p_by.parent_id;
    select d.* into v_own from tenure_private.definition as d where d.name = p_name;
    v_settings := tenure_private.resolve(
        p_name, p_queue, p_priority, p_timeout, p_deadline, p_max_attempts, p_backoff, p_max_reclaims, p_on_timeout,
        p_start_within, p_progress_timeout, p_idempotency_period,
        tenure_private.leaf_quotas(null, v_group.quota_ids, v_own)
    );
    if coalesce(v_group.inherited, '[]') = '[]' then
        return v_settings;
    end if;
    v_own.timeout := coalesce(tenure_private.duration(p_timeout, 'timeout'), v_own.timeout);
    v_own.deadline := v_settings.deadline;
    v_own.max_attempts := case when p_max_attempts is null then v_own.max_attempts else greatest(p_max_attempts, 1) end;
    v_own.backoff := v_settings.backoff;
    v_policy := tenure_private.policy_settings(v_group.inherited || tenure_private.definition_policy(v_own));
    select tenure_private.bounded_timeout(q, v_policy.timeout) into strict v_policy.timeout
    from tenure_private.queue as q where q.queue_id = v_settings.queue_id;
    return tenure_private.with_policy(v_settings, v_policy);
end
$function$;
comment on function tenure_private.child_settings(
    tenure_private.step, text, text, int, interval, interval, int, jsonb, int, text, interval, interval, interval
) is
'resolve() for a child that a running step starts: with the quotas and the policies around the nodes of its group.';
revoke all on function tenure_private.child_settings(
    tenure_private.step, text, text, int, interval, interval, int, jsonb, int, text, interval, interval, interval
) from public;

-- sql/functions/private/chore_due.sql
create or replace function tenure_private.chore_due(p_chore int, p_now timestamptz, p_every interval)
returns boolean
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- Kept beside the heads, under negative numbers, because it is appended to in the same way.
declare
    v_last constant tenure_private.head = tenure_private.newest_head(p_chore);
begin
    if (p_now >= v_last.mark_at and p_now < v_last.mark_at + p_every)
        or not pg_try_advisory_xact_lock(tenure_private.head_lock(), p_chore)
    then
        return false;
    end if;
    insert into tenure_private.head (track_id, head, mark_at)
    values (p_chore, coalesce(v_last.head, '-infinity'), p_now);
    return true;
end
$function$;
comment on function tenure_private.chore_due(int, timestamptz, interval) is
'True for one sweep in each period, whoever sweeps.';
revoke all on function tenure_private.chore_due(int, timestamptz, interval) from public;

-- sql/functions/private/claimed_keys.sql
create or replace function tenure_private.claimed_keys(p_step_id bigint)
returns jsonb
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- An element of a map lives among the keys of the group around its map, and has its element as its input.
-- volatile: as key_values().
declare
    v_keys jsonb;
begin
    select tenure_private.key_values(
        case when s.position is null then s.parent_id else m.parent_id end,
        case when s.position is null then s.group_attempt else m.group_attempt end,
        array(
            select w.key from tenure_private.need as w
            where w.node_id = s.node_id and w.key is distinct from n.map_key
        )
    )
    into strict v_keys
    from tenure_private.step as s
    join tenure_private.node as n on n.node_id = s.node_id
    join tenure_private.step as m on m.step_id = s.parent_id
    where s.step_id = p_step_id;
    return v_keys;
end
$function$;
comment on function tenure_private.claimed_keys(bigint) is
'The required and optional keys of a node''s step that are there, as claimed.keys shows them.';
revoke all on function tenure_private.claimed_keys(bigint) from public;

-- sql/functions/private/clear_away.sql
create or replace function tenure_private.clear_away(p_now timestamptz)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    delete from tenure_private.waiter as d
    where d.waiter_id in (
        select w.waiter_id from tenure_private.waiter as w where w.expires_at < p_now for update skip locked
    );
    delete from tenure_private.worker as d
    where d.owner in (
        select w.owner
        from tenure_private.worker as w
        where w.expires_at < p_now - interval '168 hours'
        for update skip locked
    );
    delete from tenure_private.head as h
    where h.seq < (tenure_private.newest_head(h.track_id)).seq;
end
$function$;
comment on function tenure_private.clear_away(timestamptz) is 'Removes waiters whose hello is over, workers not heard of for a week, and heads that are not the newest.';
revoke all on function tenure_private.clear_away(timestamptz) from public;

-- sql/functions/private/clock.sql
create or replace function tenure_private.clock()
returns timestamptz
language sql volatile parallel unsafe
as $function$
select pg_catalog.clock_timestamp();
$function$;
comment on function tenure_private.clock() is
'The only clock of the engine, read when a decision is made and after the row is locked: now() is frozen at the start of the transaction. Only the owner can replace it, as tests do to move time.';
revoke all on function tenure_private.clock() from public;
-- The views call it with the rights of whoever reads them; without USAGE on the schema nobody can call it by name.
grant execute on function tenure_private.clock() to tenure_client, tenure_worker, tenure_operator, tenure_reader;

-- sql/functions/private/closed_queues.sql
create or replace function tenure_private.closed_queues()
returns int[]
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- A grant holds for whoever has the rights of its role, as any other right does. Those of the login hold whatever role
-- it has set: by SET ROLE to a role of many, such as tenure_worker, nobody gets out of his own queues.
declare
    v_own int [];
    v_login int [];
    v_closed int [];
begin
    if not exists (select from tenure_private.queue_grant as g)
        or tenure_private.may_use_all(tenure_private.caller())
    then
        return '{}'::int [];
    end if;
    v_own := tenure_private.granted_queues(tenure_private.caller());
    if not tenure_private.may_use_all(session_user) then
        v_login := tenure_private.granted_queues(session_user);
    end if;
    select coalesce(array_agg(q.queue_id), '{}') into strict v_closed
    from tenure_private.queue as q
    where case
        when v_own is not null then q.queue_id <> all(v_own)
        else exists (select from tenure_private.queue_grant as g where g.queue_id = q.queue_id)
    end
    or (v_login is not null and q.queue_id <> all(v_login));
    return v_closed;
end
$function$;
comment on function tenure_private.closed_queues() is
'The queues that the caller may not use: all but its own when any was granted to it, else those that were granted to others; and all but its login''s own, when any was granted to that. None for operators and the owner.';
revoke all on function tenure_private.closed_queues() from public;

-- sql/functions/private/column_facts.sql
create or replace function tenure_private.column_facts(p_schemas oid[])
returns setof tenure_private.fact
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    return query
    select format('column %s.%s', a.attrelid::regclass, a.attname), f.aspect, f.fact
    from pg_attribute as a
    join pg_class as c on c.oid = a.attrelid
    join pg_type as t on t.oid = a.atttypid
    left join pg_attrdef as d on d.adrelid = a.attrelid and d.adnum = a.attnum
    cross join lateral (values
        (
            'type', concat_ws(
                ' ', format_type(a.atttypid, a.atttypmod),
                case when a.attcollation <> t.typcollation then format('collate %s', a.attcollation::regcollation) end,
                case when a.attnotnull then 'not null' end,
                case a.attidentity when 'a' then 'identity always' when 'd' then 'identity by default' end,
                case when a.attgenerated <> '' then 'generated' end,
                pg_get_expr(d.adbin, d.adrelid)
            )
        ),
        (
            'storage', nullif(concat_ws(
                ' ', case when a.attstorage <> t.typstorage then format('storage %s', a.attstorage) end,
                case when a.attcompression <> '' then format('compression %s', a.attcompression) end,
                -- NULL or -1, by PostgreSQL's version, is the default.
                case when a.attstattarget >= 0 then format('statistics %s', a.attstattarget) end,
                array_to_string(a.attoptions, ' ')
            ), '')
        ),
        ('grants', tenure_private.grants(a.attacl)),
        ('comment', col_description(a.attrelid, a.attnum))
    ) as f (aspect, fact)
    where c.relnamespace = any(p_schemas) and c.relkind in ('r', 'v', 'c') and a.attnum > 0 and not a.attisdropped;
end
$function$;
comment on function tenure_private.column_facts(oid[]) is 'The part of catalogue() about columns, of tables, views and composite types.';
revoke all on function tenure_private.column_facts(oid[]) from public;

-- sql/functions/private/complete_at_once.sql
create or replace function tenure_private.complete_at_once(
    p_step_ids bigint[], p_owner text, p_generations bigint[], p_outputs jsonb[]
)
returns boolean
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- Nothing but completions in time, in order of step_id: decided without a sort or a join, which would cost a twelfth
-- of claim and completion.
-- Locks: the steps by id; the clock is read after that.
declare
    v_step_ids bigint[];
    v_generations bigint[];
    v_held boolean;
    v_limit timestamptz;
    v_now timestamptz;
begin
    select array_agg(l.step_id), array_agg(l.lease_generation), bool_and(l.held), min(l.nearest_limit)
    into strict v_step_ids, v_generations, v_held, v_limit
    from (
        select
            s.step_id, s.lease_generation, s.state = 'running' and s.lease_owner = p_owner and not s.tree as held,
            tenure_private.nearest_limit(
                least(s.deadline_at, s.group_limit_at), s.started_at, s.timeout, s.progress_at, s.progress_timeout
            ) as nearest_limit
        from tenure_private.step as s
        where s.step_id = any(p_step_ids)
        order by s.step_id
        for no key update
    ) as l;
    v_now := tenure_private.clock();
    if v_held and v_step_ids = p_step_ids and v_generations = p_generations and v_now < v_limit is not false then
        perform tenure_private.land(p_step_ids, p_outputs, tenure_private.completion(), v_now, 'complete', p_owner);
        return true;
    end if;
    return false;
end
$function$;
comment on function tenure_private.complete_at_once(bigint[], text, bigint[], jsonb[]) is
'Completes a batch that is in order, under lease and in time throughout; false: nothing was done, and settle() decides step by step under the locks taken here.';
revoke all on function tenure_private.complete_at_once(bigint[], text, bigint[], jsonb[]) from public;

-- sql/functions/private/complete_nodes.sql
create or replace function tenure_private.complete_nodes(
    p_step_ids bigint[], p_outputs jsonb[], p_now timestamptz, p_owner text
)
returns setof tenure.verdict
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_step tenure_private.step;
    v_done bigint [] := array[]::bigint [];
    v_outputs jsonb [] := array[]::jsonb [];
    v_outcome tenure_private.outcome;
begin
    for i in 1 .. cardinality(p_step_ids) loop
        select s.* into strict v_step from tenure_private.step as s where s.step_id = p_step_ids[i];
        if tenure_private.publish(v_step, p_outputs[i], true) then
            v_done := v_done || p_step_ids[i];
            v_outputs := v_outputs || array[p_outputs[i]];
        else
            v_outcome := tenure_private.consume_attempt(
                v_step, p_now, null, 'output_conflict', tenure_private.output_conflict(v_step), null
            );
            perform tenure_private.land_one(v_step, v_outcome, p_now, 'complete', p_owner);
            return query select v_step.step_id, v_outcome.verdict;
        end if;
    end loop;
    perform tenure_private.land(v_done, v_outputs, tenure_private.completion(), p_now, 'complete', p_owner);
    perform tenure_private.drop_staged(v_done);
    return query select u.step_id, 'completed' from unnest(v_done) as u (step_id);
end
$function$;
comment on function tenure_private.complete_nodes(bigint[], jsonb[], timestamptz, text) is
'Completes steps of which some publish keys: completed, or, where a key is there already, retrying or discarded.';
revoke all on function tenure_private.complete_nodes(bigint[], jsonb[], timestamptz, text) from public;

-- sql/functions/private/completion.sql
create or replace function tenure_private.completion()
returns tenure_private.outcome
language sql immutable parallel safe
as $function$
select row(
    'completed', 'completed', null, null, null, null, null, null, null, null, null, null
)::tenure_private.outcome;
$function$;
comment on function tenure_private.completion() is 'The outcome of a completion in time.';
revoke all on function tenure_private.completion() from public;

-- sql/functions/private/conclude.sql
create or replace function tenure_private.conclude(p_group_ids bigint[], p_now timestamptz)
returns bigint[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_step tenure_private.step;
    v_group tenure_private.step_group;
    v_ended bigint [] := array[]::bigint [];
    v_done bigint [] := array[]::bigint [];
    v_outputs jsonb [] := array[]::jsonb [];
    v_skipped bigint [] := array[]::bigint [];
    v_output jsonb;
    v_id bigint;
begin
    foreach v_id in array p_group_ids loop
        select s.* into strict v_step from tenure_private.step as s where s.step_id = v_id;
        select g.* into strict v_group from tenure_private.step_group as g where g.step_id = v_id;
        if v_group.ending is not null or v_group.error_kind is not null then
            -- What is blocked goes with the failed attempt.
            perform tenure_private.call_off_under(v_id, coalesce(v_group.ending, 'sibling_discarded'), p_now);
            select g.* into strict v_group from tenure_private.step_group as g where g.step_id = v_id;
            v_ended := v_ended || tenure_private.fail_group(v_step, v_group, p_now);
            continue;
        end if;
        if tenure_private.too_large(tenure_private.group_size(v_step, v_group)) then
            v_group.final := true;
            v_group.error_kind := 'permanent';
            v_group.error := tenure_private.oversized(v_step, 'its outputs');
            v_ended := v_ended || tenure_private.fail_group(v_step, v_group, p_now);
            continue;
        end if;
        v_output := tenure_private.group_output(v_step, v_group);
        if not tenure_private.publish_group(v_step, v_group, v_output) then
            v_group.error_kind := 'output_conflict';
            v_group.error := tenure_private.output_conflict(v_step);
            v_ended := v_ended || tenure_private.fail_group(v_step, v_group, p_now);
        elsif tenure_private.all_skipped(v_step, v_group) then
            v_skipped := v_skipped || v_id;
        else
            v_done := v_done || v_id;
            v_outputs := v_outputs || array[v_output];
        end if;
    end loop;
    perform tenure_private.pass_over(v_skipped, 'all_skipped', p_now);
    if v_done <> '{}' then
        perform tenure_private.land(v_done, v_outputs, tenure_private.completion(), p_now, null, null);
    end if;
    return v_ended || v_done || v_skipped;
end
$function$;
comment on function tenure_private.conclude(bigint[], timestamptz) is
'Ends the attempt of groups that have no unfinished child, and the group with it unless another attempt follows. Returns the steps that ended by it, for their groups to be told.';
revoke all on function tenure_private.conclude(bigint[], timestamptz) from public;

-- sql/functions/private/consume_attempt.sql
create or replace function tenure_private.consume_attempt(
    p_step tenure_private.step, p_now timestamptz, p_verdict text, p_kind text, p_error jsonb, p_retry_after interval
)
returns tenure_private.outcome
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_due_at timestamptz;
    v_outcome tenure_private.outcome;
begin
    if p_step.parent_id is not null and tenure_private.has_layers(p_step.step_id) then
        v_due_at := tenure_private.next_in_layers(p_step.step_id, p_now, p_retry_after);
    elsif p_step.attempt < p_step.max_attempts then
        v_due_at := p_now + coalesce(p_retry_after, tenure_private.backoff(p_step.backoff, p_step.attempt, random()));
    end if;
    if v_due_at is null then
        return tenure_private.discard(p_step, coalesce(p_verdict, 'discarded'), p_kind, p_error);
    end if;
    v_outcome.verdict := coalesce(p_verdict, 'retrying');
    v_outcome.state := 'available';
    if p_step.state = 'pending' then
        -- What waits for keys goes on waiting for them, or for nothing any more.
        v_outcome.state := 'pending';
        v_outcome.reason := p_step.reason;
    end if;
    v_outcome.attempt := least(p_step.attempt::bigint + 1, 2147483647)::int;
    v_outcome.scheduled_at := v_due_at;
    v_outcome.error := p_error;
    v_outcome.error_kind := p_kind;
    v_outcome.ends_attempt := p_kind;
    return v_outcome;
end
$function$;
comment on function tenure_private.consume_attempt(tenure_private.step, timestamptz, text, text, jsonb, interval) is
'The outcome of an attempt that failed or ran into a limit: available after its backoff, or discarded when it was the last. p_verdict NULL: retrying or discarded.';
revoke all on function tenure_private.consume_attempt(
    tenure_private.step, timestamptz, text, text, jsonb, interval
) from public;

-- sql/functions/private/count_ends.sql
create or replace function tenure_private.count_ends(p_step_ids bigint[])
returns bigint[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- Children of an attempt that is over, or of a group that has ended, count no more.
declare
    v_group_ids bigint [];
begin
    with over as materialized (
        select
            c.step_id, c.parent_id, c.group_attempt, c.state, c.finished_at, c.error_kind,
            c.node_id is not null or c.position is not null as counts
        from tenure_private.step as c
        where c.step_id = any(p_step_ids) and (c.finished_at is not null or c.reason = 'blocked')
    ),
    told as (
        select
            o.parent_id, count(*) filter (where o.finished_at is not null and o.counts) as ended,
            count(*) filter (where o.state = 'completed') as done,
            array_agg(o.step_id order by o.finished_at, o.step_id) filter (where o.state = 'discarded') as failed_ids,
            min(o.step_id) filter (where o.state = 'discarded' and o.error_kind = 'uncertain') as uncertain_id
        from over as o
        join tenure_private.step as p
            on p.step_id = o.parent_id and p.attempt = o.group_attempt and p.finished_at is null
        group by o.parent_id
    ),
    counted as (
        update tenure_private.step_group as g
        set open = g.open - t.ended,
            done = g.done + t.done,
            uncertain = g.uncertain or exists (
                select
                from tenure_private.step as c
                left join tenure_private.step_group as w on w.step_id = c.step_id
                where c.step_id = any(t.failed_ids) and (c.error_kind = 'uncertain' or w.uncertain)
            ),
            -- An outside commit in doubt keeps its kind, though a limit has passed at the same time.
            error_kind = case
                when g.ending = 'group_ended' then coalesce(u.error_kind, g.error_kind)
                else coalesce(g.error_kind, f.error_kind)
            end,
            error = case
                when g.ending = 'group_ended' then coalesce(u.error, g.error)
                when g.error_kind is null then f.error
                else g.error
            end,
            ending = case
                when f.step_id is not null and g.on_failure = 'cancel' then coalesce(g.ending, 'sibling_discarded')
                else g.ending
            end
        from told as t
        left join tenure_private.step as f on f.step_id = t.failed_ids[1]
        left join tenure_private.step as u on u.step_id = t.uncertain_id
        where g.step_id = t.parent_id
        returning g.step_id
    )
    select array_agg(c.step_id) into strict v_group_ids from counted as c;
    -- Besides, groups that a fold could not end: it left them to be looked at again.
    return coalesce(v_group_ids, '{}') || array(
        select g.step_id
        from tenure_private.step_group as g
        join tenure_private.step as s on s.step_id = g.step_id and s.finished_at is null
        where g.step_id = any(p_step_ids) and g.ending is not null and g.step_id <> all(coalesce(v_group_ids, '{}'))
    );
end
$function$;
comment on function tenure_private.count_ends(bigint[]) is
'Counts children that are over in their groups, keeps the first error, and says of groups that a discarded child ends that they are ending. Returns the groups that may have more to do now.';
revoke all on function tenure_private.count_ends(bigint[]) from public;

-- sql/functions/private/decide.sql
create or replace function tenure_private.decide(
    p_step tenure_private.step,
    p_owner text,
    p_generation bigint,
    p_now timestamptz,
    p_ask tenure_private.ask
)
returns tenure_private.outcome
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- p_step is locked and p_now was read after that. The order is a rule: the lease, the limits, the report;
-- of the limits those of the groups around it first.
declare
    v_passed text;
    v_outcome tenure_private.outcome;
begin
    if p_step.state <> 'running' or p_step.lease_owner <> p_owner or p_step.lease_generation <> p_generation then
        v_outcome.verdict := tenure_private.late_verdict(p_step, p_owner, p_generation, p_ask.verb);
        return v_outcome;
    elsif p_step.group_limit_at <= p_now and p_ask.kind is distinct from 'uncertain' then
        -- As the fold that follows would have done it; but its body has come back.
        v_outcome := tenure_private.call_off('group_ended');
        v_outcome.keeps_lease := false;
        return v_outcome;
    end if;
    v_passed := tenure_private.limit_passed(
        p_now, p_step.deadline_at, p_step.started_at, p_step.timeout, p_step.progress_at, p_step.progress_timeout
    );
    if v_passed = 'deadline' then
        v_passed := tenure_private.passed_kind(p_step, p_now);
    end if;
    if p_ask.kind = 'uncertain' or (p_ask.kind = 'permanent' and v_passed is distinct from 'deadline') then
        return tenure_private.discard(p_step, 'discarded', p_ask.kind, p_ask.error);
    elsif v_passed is not null then
        return tenure_private.pass_limit(p_step, p_now, v_passed, 'timed_out', p_ask.error);
    end if;
    return tenure_private.grant_ask(p_step, p_now, p_ask);
end
$function$;
comment on function tenure_private.decide(tenure_private.step, text, bigint, timestamptz, tenure_private.ask) is
'What becomes of a running step whose worker reports: the one place where lease, limits and report are weighed.';
revoke all on function tenure_private.decide(
    tenure_private.step, text, bigint, timestamptz, tenure_private.ask
) from public;

-- sql/functions/private/definition_policy.sql
create or replace function tenure_private.definition_policy(p_definition tenure_private.definition)
returns jsonb
language sql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $function$
select case
    when num_nonnulls(p_definition.deadline, p_definition.max_attempts, p_definition.timeout) = 0 then '[]'
    else case
            when p_definition.deadline is null then '[]'
            else jsonb_build_array(jsonb_build_object('deadline', extract(epoch from p_definition.deadline)))
        end
        || jsonb_build_array(jsonb_build_object('retry', jsonb_build_object(
            'attempts', coalesce(p_definition.max_attempts, 1), 'backoff', p_definition.backoff
        )))
        || case
            when p_definition.timeout is null then '[]'
            else jsonb_build_array(jsonb_build_object('timeout', extract(epoch from p_definition.timeout)))
        end
end;
$function$;
comment on function tenure_private.definition_policy(tenure_private.definition) is
'The values given to define_step as a policy in its normal form: a deadline, a retry, a timeout of each attempt; empty where none of them was given.';
revoke all on function tenure_private.definition_policy(tenure_private.definition) from public;

-- sql/functions/private/deliver_signal.sql
create or replace function tenure_private.deliver_signal(p_step_id bigint, p_key text, p_now timestamptz)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_step tenure_private.step;
    v_outcome tenure_private.outcome;
begin
    select s.* into strict v_step from tenure_private.step as s where s.step_id = p_step_id for no key update;
    perform tenure_private.take_signal(v_step.root_id, p_step_id, p_key, w.signal)
    from tenure_private.wait as w
    where w.step_id = p_step_id and w.key = p_key;
    v_outcome := tenure_private.back_in_line(v_step, p_now, 'woken');
    perform tenure_private.land_one(v_step, v_outcome, p_now, null, null);
end
$function$;
comment on function tenure_private.deliver_signal(bigint, text, timestamptz) is
'Ends an open signal wait with the oldest kept signal and makes its step available. The run is locked by the caller.';
revoke all on function tenure_private.deliver_signal(bigint, text, timestamptz) from public;

-- sql/functions/private/dependents.sql
create or replace function tenure_private.dependents(p_step_ids bigint[])
returns bigint[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- volatile: asked in the middle of a fold, it must see what that has just written.
-- By arrays, as end_overdue(): in one query the planner may read all members of a group, or of a node in all runs.
declare
    v_group_ids bigint [];
    v_attempts int [];
    v_node_ids int [];
    v_step_ids bigint [];
begin
    select array_agg(e.parent_id), array_agg(e.group_attempt), array_agg(w.node_id)
    into strict v_group_ids, v_attempts, v_node_ids
    from tenure_private.step as e
    join tenure_private.need as w on w.producer_id = e.node_id
    where e.step_id = any(p_step_ids) and e.position is null and (e.finished_at is not null or e.reason = 'blocked');
    select coalesce(array_agg(distinct c.step_id order by c.step_id), '{}') into strict v_step_ids
    from unnest(v_group_ids, v_attempts, v_node_ids) as u (group_id, attempt, node_id)
    join tenure_private.member as m on m.group_id = u.group_id and m.attempt = u.attempt and m.node_id = u.node_id
    join tenure_private.step as c on c.step_id = m.step_id and c.state = 'pending';
    return v_step_ids;
end
$function$;
comment on function tenure_private.dependents(bigint[]) is 'The pending siblings that need a key of one of these steps, which are over or blocked.';
revoke all on function tenure_private.dependents(bigint[]) from public;

-- sql/functions/private/discard.sql
create or replace function tenure_private.discard(
    p_step tenure_private.step, p_verdict text, p_kind text, p_error jsonb
)
returns tenure_private.outcome
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_outcome tenure_private.outcome;
begin
    v_outcome.verdict := p_verdict;
    v_outcome.state := 'discarded';
    v_outcome.error_kind := p_kind;
    v_outcome.error := p_error;
    -- An attempt that has begun; log_attempts() knows whether it had ended before.
    if p_step.lease_generation > 0 then
        v_outcome.ends_attempt := p_kind;
    end if;
    return v_outcome;
end
$function$;
comment on function tenure_private.discard(tenure_private.step, text, text, jsonb) is 'The outcome that ends a step without success.';
revoke all on function tenure_private.discard(tenure_private.step, text, text, jsonb) from public;

-- sql/functions/private/discarded_above.sql
create or replace function tenure_private.discarded_above(p_step tenure_private.step)
returns bigint[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_step tenure_private.step := p_step;
    v_group tenure_private.step;
    v_above bigint [] := array[]::bigint [];
begin
    while v_step.parent_id is not null loop
        select s.* into strict v_group from tenure_private.step as s where s.step_id = v_step.parent_id;
        if v_group.state = 'paused' or v_step.group_attempt <> v_group.attempt
            or v_group.state in ('completed', 'skipped', 'cancelled')
        then
            perform tenure_private.refuse(
                'invalid_transition', 'the group of the step has gone on without it',
                format(
                    'Step %s; group %s is %s, in attempt %s.',
                    v_step.step_id, v_group.step_id, v_group.state, v_group.attempt
                ),
                'Resume a paused run first. What belongs to an earlier attempt, or to a group that is over, stays as it is.'
            );
        end if;
        exit when v_group.state <> 'discarded';
        v_above := v_above || v_group.step_id;
        v_step := v_group;
    end loop;
    return v_above;
end
$function$;
comment on function tenure_private.discarded_above(tenure_private.step) is
'The groups above a discarded step that were discarded too, upwards. Refuses (TN010) a step that cannot come back to its group.';
revoke all on function tenure_private.discarded_above(tenure_private.step) from public;

-- sql/functions/private/do_chore.sql
create or replace function tenure_private.do_chore(p_chore text, p_now timestamptz)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    case p_chore
        when 'fold_behind' then perform tenure_private.fold_behind();
        when 'retire' then perform tenure_private.retire(p_now, 2000);
        when 'clear_away' then perform tenure_private.clear_away(p_now);
        when 'look_behind' then perform tenure_private.look_behind(p_now);
    end case;
exception when others then
    -- A chore that cannot be done, such as a purge that a foreign key of others forbids, undoes nothing but itself: to
    -- move steps on is what the sweep is there for.
    raise warning using
        message = format('the sweep could not do its chore %s: %s', p_chore, sqlerrm),
        errcode = sqlstate;
end
$function$;
comment on function tenure_private.do_chore(text, timestamptz) is 'Does one chore of the sweep, by its function''s name: an error is a warning, and the chore is tried again when it is due next.';
revoke all on function tenure_private.do_chore(text, timestamptz) from public;

-- sql/functions/private/document_size.sql
create or replace function tenure_private.document_size(p_document jsonb)
returns int
language sql stable parallel safe
as $function$
-- Unpinned and plain, so that the planner inlines it. A value that comes from a table may still be compressed, and
-- pg_column_size() would tell that size: taken out of an array it is not.
select case
    when pg_catalog.pg_column_compression(p_document) is null then pg_catalog.pg_column_size(p_document)
    else pg_catalog.pg_column_size(pg_catalog.jsonb_array_element(pg_catalog.jsonb_build_array(p_document), 0))
end;
$function$;
comment on function tenure_private.document_size(jsonb) is 'The bytes that a document takes as jsonb, wherever it comes from; NULL for NULL.';
revoke all on function tenure_private.document_size(jsonb) from public;

-- sql/functions/private/drop_staged.sql
create or replace function tenure_private.drop_staged(p_step_ids bigint[])
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    delete from tenure_private.staged as s where s.step_id = any(p_step_ids);
end
$function$;
comment on function tenure_private.drop_staged(bigint[]) is 'Forgets what these steps have staged.';
revoke all on function tenure_private.drop_staged(bigint[]) from public;

-- sql/functions/private/drop_waiter.sql
create or replace function tenure_private.drop_waiter(p_owner text)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    delete from tenure_private.waiter as d
    where d.waiter_id in (
        select l.waiter_id
        from tenure_private.waiter as l
        where l.waiter_id = (select w.waiter_id from tenure_private.worker as w where w.owner = p_owner)
        for update skip locked
    );
end
$function$;
comment on function tenure_private.drop_waiter(text) is 'Takes back a worker''s request for a notification, unless it is being answered just now.';
revoke all on function tenure_private.drop_waiter(text) from public;

-- sql/functions/private/due_from.sql
create or replace function tenure_private.due_from(p_scheduled_at timestamptz, p_delay interval, p_now timestamptz)
returns timestamptz
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
as $function$
begin
    if p_scheduled_at is not null and p_delay is not null then
        perform tenure_private.refuse(
            'argument_invalid', 'scheduled_at and delay exclude each other',
            format('scheduled_at: %s; delay: %s.', p_scheduled_at, p_delay), 'Give one of them, or neither for at once.'
        );
    elsif not isfinite(p_scheduled_at) or p_scheduled_at > p_now + interval '876600 hours' then
        perform tenure_private.refuse(
            'argument_invalid', 'scheduled_at is infinite or more than 100 years away',
            format('Given: %s.', p_scheduled_at),
            'Give an instant that will come.'
        );
    end if;
    return coalesce(p_scheduled_at, p_now + tenure_private.duration(p_delay, 'delay'), p_now);
end
$function$;
comment on function tenure_private.due_from(timestamptz, interval, timestamptz) is
'When a new step is due: scheduled_at, or after delay, or now; both at once and infinite instants are refused (TN007).';
revoke all on function tenure_private.due_from(timestamptz, interval, timestamptz) from public;

-- sql/functions/private/due_from_texts.sql
create or replace function tenure_private.due_from_texts(p_scheduled_at text[], p_delays text[], p_now timestamptz)
returns timestamptz[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_due timestamptz [];
begin
    if num_nonnulls(variadic p_scheduled_at) = 0 and num_nonnulls(variadic p_delays) = 0 then
        return array_fill(p_now, array[cardinality(p_delays)]);
    elsif exists (select from unnest(p_scheduled_at || p_delays) as u (value) where u.value ~ '^[{[]') then
        -- Not left to the casts: PostgreSQL 15 reads {"s": 1} as an interval.
        perform tenure_private.refuse(
            'argument_invalid', 'a step has a value of the wrong type',
            'scheduled_at and delay are strings, not objects or arrays.', 'See tenure.enqueue for the types.'
        );
    end if;
    select array_agg(tenure_private.due_from(u.scheduled_at::timestamptz, u.delay::interval, p_now) order by u.n)
    into strict v_due
    from unnest(p_scheduled_at, p_delays) with ordinality as u (scheduled_at, delay, n);
    return v_due;
exception when data_exception then
    perform tenure_private.refuse(
        'argument_invalid', 'a step has a value of the wrong type',
        sqlerrm, 'See tenure.enqueue for the types.'
    );
    return null;
end
$function$;
comment on function tenure_private.due_from_texts(text[], text[], timestamptz) is 'due_from() for a batch in JSON.';
revoke all on function tenure_private.due_from_texts(text[], text[], timestamptz) from public;

-- sql/functions/private/duration.sql
create or replace function tenure_private.duration(p_value interval, p_what text)
returns interval
language plpgsql immutable parallel safe strict
set search_path = pg_catalog, pg_temp
as $function$
-- PostgreSQL wraps very large intervals into the past without an error, and adds a day as 23 h across DST:
-- so only plain durations get in, and they are kept as seconds alone.
declare
    v_seconds numeric;
begin
    -- Infinite intervals (from PostgreSQL 17) have no length in seconds.
    if not isfinite(p_value) then
        perform tenure_private.refuse(
            'duration_invalid', format('%s must be finite', p_what), format('Given: %s.', p_value),
            'Leave it out where there is to be no limit.'
        );
    end if;
    v_seconds := extract(epoch from p_value);
    if extract(year from p_value) <> 0 or extract(month from p_value) <> 0 then
        perform tenure_private.refuse(
            'duration_invalid', format('%s must not have months or years', p_what), format('Given: %s.', p_value),
            'Months and years have no fixed length; give days, hours or seconds.'
        );
    elsif v_seconds < 0 then
        perform tenure_private.refuse(
            'duration_invalid', format('%s must not be negative', p_what), format('Given: %s.', p_value),
            'Give a duration of zero or more.'
        );
    elsif v_seconds > 3155760000 then
        perform tenure_private.refuse(
            'duration_invalid', format('%s is longer than 100 years', p_what), format('Given: %s.', p_value),
            'Leave it out where there is to be no limit.'
        );
    end if;
    return (v_seconds * 1000000)::double precision * interval '1 microsecond';
end
$function$;
comment on function tenure_private.duration(interval, text) is
'The same length as an interval of pure seconds; a day is 24 h. Refuses (TN006) months, years, negative, infinite and over 100 years. NULL stays NULL.';
revoke all on function tenure_private.duration(interval, text) from public;

-- sql/functions/private/end_attempt.sql
create or replace function tenure_private.end_attempt(p_step tenure_private.step, p_kind text, p_now timestamptz)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    update tenure_private.step_group as g
    set ending = 'group_ended',
        -- An outside commit in doubt stands before the limit, which comes later.
        error_kind = case when g.uncertain then g.error_kind else p_kind end,
        error = case when g.uncertain then g.error else tenure_private.passed_error(p_step, p_now, p_kind, null) end,
        final = g.final or p_kind = 'deadline'
    where g.step_id = p_step.step_id;
    -- Not again before the fold has had its chance.
    update tenure_private.step as s set alarm_at = p_now + interval '1 second' where s.step_id = p_step.step_id;
end
$function$;
comment on function tenure_private.end_attempt(tenure_private.step, text, timestamptz) is
'Says that a limit ends the present attempt of a group; the fold calls off what is open in it.';
revoke all on function tenure_private.end_attempt(tenure_private.step, text, timestamptz) from public;

-- sql/functions/private/end_group.sql
create or replace function tenure_private.end_group(p_step tenure_private.step, p_kind text, p_now timestamptz)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- The rest is the fold's, as when a child has failed. Where the limit is that of a group whose children have all
-- ended (a backoff), or has none yet, there is nothing to call off.
declare
    v_outcome tenure_private.outcome;
begin
    if p_step.state in ('pending', 'waiting_timer') then
        v_outcome := tenure_private.pass_limit(p_step, p_now, p_kind, 'discarded', null);
        if v_outcome.state <> 'discarded' then
            v_outcome.state := p_step.state;
            v_outcome.due_at := v_outcome.scheduled_at;
        end if;
        perform tenure_private.land(array[p_step.step_id], null, v_outcome, p_now, null, null);
    else
        perform tenure_private.end_attempt(p_step, p_kind, p_now);
    end if;
    perform tenure_private.fold_run(p_step.root_id, array[p_step.step_id]);
end
$function$;
comment on function tenure_private.end_group(tenure_private.step, text, timestamptz) is
'Ends the present attempt of a group by a limit, timeout or deadline, with all that is open below it.';
revoke all on function tenure_private.end_group(tenure_private.step, text, timestamptz) from public;

-- sql/functions/private/end_overdue.sql
create or replace function tenure_private.end_overdue(p_step_ids bigint[], p_now timestamptz)
returns bigint[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- Whoever folds looks at the limits first, as whoever reports for a leaf does: a group that is late cannot succeed
-- because no sweep has been there yet.
-- By arrays of ids: of a recursive query the planner may start at the wrong end, and read all history.
declare
    v_step tenure_private.step;
    v_level bigint [] := p_step_ids;
    v_above bigint [] := array[]::bigint [];
    v_group_ids bigint [] := array[]::bigint [];
begin
    loop
        v_level := array(
            select distinct s.parent_id
            from tenure_private.step as s
            where s.step_id = any(v_level) and s.parent_id is not null
        );
        exit when v_level = '{}';
        v_above := v_above || v_level;
    end loop;
    for v_step in
        select s.*
        from tenure_private.step as s
        where s.step_id = any(v_above) and s.state = 'waiting_steps'
            and (s.deadline_at <= p_now or s.started_at + s.timeout <= p_now)
            and exists (
                select from tenure_private.step_group as g where g.step_id = s.step_id and g.ending is null
            )
        order by s.step_id
    loop
        perform tenure_private.end_attempt(v_step, tenure_private.group_limit(v_step, p_now), p_now);
        v_group_ids := v_group_ids || v_step.step_id;
    end loop;
    return v_group_ids;
end
$function$;
comment on function tenure_private.end_overdue(bigint[], timestamptz) is
'Ends the attempts of the groups above these steps of which a limit has passed; returns these groups.';
revoke all on function tenure_private.end_overdue(bigint[], timestamptz) from public;

-- sql/functions/private/ended_waits.sql
create or replace function tenure_private.ended_waits(p_step_id bigint)
returns jsonb
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_waits jsonb;
begin
    select jsonb_agg(
        jsonb_build_object('key', w.key, 'kind', w.kind, 'outcome', w.outcome, 'payload', w.payload) order by w.seq
    ) into strict v_waits
    from tenure_private.wait as w
    where w.step_id = p_step_id and w.outcome is not null;
    return v_waits;
end
$function$;
comment on function tenure_private.ended_waits(bigint) is 'The ended sleeps and signal waits of a step, oldest first, as claimed.waits shows them.';
revoke all on function tenure_private.ended_waits(bigint) from public;

-- sql/functions/private/expire_lease.sql
create or replace function tenure_private.expire_lease(step_id bigint)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_now constant timestamptz = tenure_private.clock();
begin
    update tenure_private.step as s
    set lease_expiry = v_now - interval '1 microsecond', alarm_at = v_now
    where s.step_id = expire_lease.step_id and s.state = 'running';
    if not found then
        perform tenure_private.refuse(
            'step_not_found', 'there is no such running step',
            format('Step %s.', expire_lease.step_id), 'Claim it first.'
        );
    end if;
end
$function$;
comment on function tenure_private.expire_lease(bigint) is
'For tests: lets the lease of a running step be over, as if its worker had died a ttl ago. The owner''s alone.';
revoke all on function tenure_private.expire_lease(bigint) from public;

-- sql/functions/private/fail_group.sql
create or replace function tenure_private.fail_group(
    p_step tenure_private.step, p_group tenure_private.step_group, p_now timestamptz
)
returns bigint[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_outcome tenure_private.outcome;
begin
    if p_group.final or p_group.uncertain then
        v_outcome := tenure_private.discard(p_step, 'discarded', p_group.error_kind, p_group.error);
    else
        v_outcome := tenure_private.consume_attempt(p_step, p_now, null, p_group.error_kind, p_group.error, null);
    end if;
    perform tenure_private.log_group(p_step, p_group, p_now);
    if v_outcome.state = 'discarded' then
        perform tenure_private.land(array[p_step.step_id], null, v_outcome, p_now, null, null);
        return array[p_step.step_id];
    end if;
    v_outcome.state := 'waiting_timer';
    v_outcome.due_at := v_outcome.scheduled_at;
    perform tenure_private.land(array[p_step.step_id], null, v_outcome, p_now, null, null);
    -- Each hundredth attempt is left to the sweep: what fails at once must not keep one transaction for ever.
    if v_outcome.due_at <= p_now and v_outcome.attempt % 100 <> 0 then
        return tenure_private.open_groups(array[p_step.step_id], p_now);
    end if;
    return array[]::bigint [];
end
$function$;
comment on function tenure_private.fail_group(tenure_private.step, tenure_private.step_group, timestamptz) is
'Ends a group''s attempt that failed, whose children have all ended: discarded, or a new attempt with new children, after its delay. Returns the steps that ended by it.';
revoke all on function tenure_private.fail_group(
    tenure_private.step, tenure_private.step_group, timestamptz
) from public;

-- sql/functions/private/find_discarded.sql
create or replace function tenure_private.find_discarded(p_step_id bigint, p_extra_attempts int)
returns tenure_private.step
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_step tenure_private.step;
begin
    if p_extra_attempts is null or p_extra_attempts < 1 then
        perform tenure_private.refuse(
            'argument_invalid', 'extra_attempts is out of range',
            format('Given: %s.', p_extra_attempts), 'Give 1 or more.'
        );
    end if;
    perform tenure_private.lock_whole(s.root_id) from tenure_private.step as s where s.step_id = p_step_id;
    select s.* into v_step from tenure_private.step as s where s.step_id = p_step_id for no key update;
    if v_step.step_id is null then
        perform tenure_private.refuse(
            'step_not_found', 'there is no such step',
            format('Step %s.', p_step_id), 'It may have been purged: see the retention of its queue.'
        );
    elsif (select r.purging from tenure_private.step as r where r.step_id = v_step.root_id) then
        perform tenure_private.refuse(
            'run_purging', 'the run is being purged', format('Step %s.', p_step_id), 'Enqueue it anew.'
        );
    elsif v_step.state <> 'discarded' then
        perform tenure_private.refuse(
            'invalid_transition', 'only a discarded step can be retried',
            format('Step %s is %s.', p_step_id, v_step.state),
            'Cancelled and completed steps stay as they are; enqueue anew.'
        );
    end if;
    return v_step;
end
$function$;
comment on function tenure_private.find_discarded(bigint, int) is 'Locks a step for retry; refuses what cannot be retried.';
revoke all on function tenure_private.find_discarded(bigint, int) from public;

-- sql/functions/private/find_queue.sql
create or replace function tenure_private.find_queue(p_name text)
returns tenure_private.queue
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_queue tenure_private.queue;
begin
    perform tenure_private.check_name(p_name, 'queue');
    select q.* into v_queue from tenure_private.queue as q where q.name = p_name;
    if v_queue.queue_id is null then
        perform tenure_private.refuse(
            'queue_unknown', 'there is no such queue',
            format('Queue %s.', p_name), 'Make it first: select tenure.create_queue(name).'
        );
    end if;
    return v_queue;
end
$function$;
comment on function tenure_private.find_queue(text) is 'The queue of this name; refuses (TN003) an unknown one.';
revoke all on function tenure_private.find_queue(text) from public;

-- sql/functions/private/find_quota.sql
create or replace function tenure_private.find_quota(p_name text)
returns tenure_private.quota
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_quota tenure_private.quota;
begin
    perform tenure_private.check_name(p_name, 'quota');
    select q.* into v_quota from tenure_private.quota as q where q.name = p_name;
    if v_quota.quota_id is null then
        perform tenure_private.refuse(
            'quota_unknown', 'there is no such quota', format('Quota %s.', p_name),
            'Make it first: select tenure.set_quota(name, capacity).'
        );
    end if;
    return v_quota;
end
$function$;
comment on function tenure_private.find_quota(text) is 'The quota of this name; refuses (TN015) an unknown one.';
revoke all on function tenure_private.find_quota(text) from public;

-- sql/functions/private/find_run.sql
create or replace function tenure_private.find_run(p_run_id bigint)
returns tenure_private.step
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- volatile: called after a lock was waited for, it must see what was committed meanwhile.
declare
    v_run tenure_private.step;
begin
    select s.* into v_run from tenure_private.step as s where s.step_id = p_run_id;
    if v_run.step_id is null or v_run.purging or tenure_private.hidden_steps(array[p_run_id]) <> '{}' then
        perform tenure_private.refuse(
            'step_not_found', 'there is no such run',
            format('Run %s.', p_run_id), 'It may have been purged: see the retention of its queue.'
        );
    elsif v_run.parent_id is not null then
        perform tenure_private.refuse(
            'not_a_run', 'the id is that of a child, not of a run',
            format('Step %s belongs to run %s.', p_run_id, v_run.root_id),
            'Give the id of the run.'
        );
    end if;
    return v_run;
end
$function$;
comment on function tenure_private.find_run(bigint) is
'The row of a run. Refuses an unknown or hidden id (TN001) and a child''s (TN002).';
revoke all on function tenure_private.find_run(bigint) from public;

-- sql/functions/private/find_track.sql
create or replace function tenure_private.find_track(
    p_queue_id int, p_priority int, p_name text, p_quota_ids int[] default null, p_quota_units int default null
)
returns int
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- Two that find none make two: a unique key would let one business transaction hold up all others on a new name.
declare
    v_track_id int;
begin
    select t.track_id into v_track_id
    from tenure_private.track as t
    where t.queue_id = p_queue_id and t.priority = p_priority and t.name = p_name
        and t.quota_ids is not distinct from p_quota_ids and t.quota_units is not distinct from p_quota_units
    order by t.track_id
    limit 1;
    if v_track_id is null then
        insert into tenure_private.track (queue_id, priority, name, quota_ids, quota_units)
        values (p_queue_id, p_priority, p_name, p_quota_ids, p_quota_units)
        returning track_id into strict v_track_id;
    end if;
    return v_track_id;
end
$function$;
comment on function tenure_private.find_track(int, int, text, int[], int) is
'The track of a name at a priority of a queue under these quotas (ids in rising order; NULL: none, and no units), made if it is new.';
revoke all on function tenure_private.find_track(int, int, text, int[], int) from public;

-- sql/functions/private/first_entry.sql
create or replace function tenure_private.first_entry(
    p_track_id int, p_now timestamptz, p_from timestamptz, p_until timestamptz
)
returns timestamptz
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_first timestamptz;
begin
    if p_track_id = 0 then
        select s.alarm_at into v_first
        from tenure_private.step as s
        where s.alarm_at >= p_from and s.alarm_at < p_until
        order by s.alarm_at
        limit 1;
    else
        -- Expired steps are passed over for good: none of them can be claimed again without a new scheduled_at.
        select s.scheduled_at into v_first
        from tenure_private.step as s
        where s.track_id = p_track_id and s.state = 'available'
            and s.scheduled_at >= p_from and s.scheduled_at < p_until
            and tenure_private.in_time(p_now, least(s.deadline_at, s.group_limit_at), s.start_by)
        order by s.scheduled_at, s.step_id
        limit 1;
    end if;
    return coalesce(v_first, p_until);
end
$function$;
comment on function tenure_private.first_entry(int, timestamptz, timestamptz, timestamptz) is
'The first claimable step of a track (track 0: the first alarm) between two instants; the second instant where there is none.';
revoke all on function tenure_private.first_entry(int, timestamptz, timestamptz, timestamptz) from public;

-- sql/functions/private/fit_tracks.sql
create or replace function tenure_private.fit_tracks(p_tracks tenure_private.open_track[], p_quota_ids int[])
returns tenure_private.open_track[]
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_tracks tenure_private.open_track [];
begin
    with room as materialized (
        select r.quota_id, r.room from tenure_private.quota_rooms(p_quota_ids) as r
    )
    select array_agg(t) into strict v_tracks
    from unnest(p_tracks) as t
    join tenure_private.track as k on k.track_id = t.track_id
    where not exists (
        select
        from unnest(k.quota_ids) as u (quota_id)
        left join room as r on r.quota_id = u.quota_id
        where r.room >= k.quota_units is not true
    );
    return v_tracks;
end
$function$;
comment on function tenure_private.fit_tracks(tenure_private.open_track[], int[]) is
'Of these tracks those that need no quotas but these and have room in each for one step at least.';
revoke all on function tenure_private.fit_tracks(tenure_private.open_track[], int[]) from public;

-- sql/functions/private/fold_behind.sql
create or replace function tenure_private.fold_behind()
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- Locks: each track's advisory lock, tried; a track in use keeps its notes until the next pass.
declare
    r_note record;
begin
    if current_setting('transaction_isolation') <> 'read committed' then
        -- An old snapshot does not show the newest head.
        return;
    end if;
    for r_note in select b.track_id from tenure_private.behind as b group by b.track_id order by b.track_id loop
        continue when not pg_try_advisory_xact_lock(tenure_private.head_lock(), r_note.track_id);
        with folded as (
            delete from tenure_private.behind as b where b.track_id = r_note.track_id returning b.scheduled_at
        )
        insert into tenure_private.head (track_id, head)
        select
            r_note.track_id,
            least(min(f.scheduled_at), coalesce((tenure_private.newest_head(r_note.track_id)).head, '-infinity'))
        from folded as f
        having count(*) > 0;
    end loop;
end
$function$;
comment on function tenure_private.fold_behind() is 'Takes the noted steps into the heads of their tracks, and drops the marks made before.';
revoke all on function tenure_private.fold_behind() from public;

-- sql/functions/private/fold_left.sql
create or replace function tenure_private.fold_left()
returns interval
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- The net under the workers, who ask for the fold after each report. Locks: the runs, tried; one that is locked counts
-- for nothing, and so hides no other.
declare
    v_folded int := 0;
    v_again interval;
    r_run record;
begin
    for r_run in
        select e.run_id, min(e.seq) as seq from tenure_private.event as e where not e.held group by e.run_id order by 2
    loop
        if v_folded = 100 then
            return interval '0';
        elsif tenure_private.lock_run(r_run.run_id, false) then
            perform tenure_private.fold_safely(r_run.run_id);
            v_folded := v_folded + 1;
        else
            v_again := interval '1 second';
        end if;
    end loop;
    return v_again;
end
$function$;
comment on function tenure_private.fold_left() is
'Folds what reports have left and nobody has asked for since, of a hundred runs at most. Returns when to come again: at once when there are more, soon when some were locked, NULL otherwise.';
revoke all on function tenure_private.fold_left() from public;

-- sql/functions/private/fold_run.sql
create or replace function tenure_private.fold_run(p_run_id bigint, p_ended bigint[])
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_mergejoin = off
set enable_hashjoin = off
as $function$
-- The caller holds the run's row FOR NO KEY UPDATE or stronger: one fold at a time, and no call that changes the run's
-- structure. Reports of its leaves go on, so their rows are only tried. In rounds: what ended in one is what the
-- groups around it hear in the next.
-- Children are looked up by their ids: a map's ten thousand in the statistics must not make the planner read the table.
declare
    v_now constant timestamptz = tenure_private.clock();
    v_ended bigint [] := p_ended || tenure_private.take_events(p_run_id);
    v_groups bigint [];
    v_next bigint [];
begin
    perform tenure_private.call_off_orphans(p_run_id, v_ended, v_now);
    v_ended := v_ended || tenure_private.end_overdue(v_ended, v_now);
    while v_ended <> '{}' loop
        v_groups := tenure_private.count_ends(v_ended);
        perform tenure_private.call_off_ending(v_groups, v_now);
        v_next := tenure_private.advance(tenure_private.dependents(v_ended), v_now);
        v_ended := v_next || tenure_private.conclude(tenure_private.settled(v_groups), v_now);
    end loop;
end
$function$;
comment on function tenure_private.fold_run(bigint, bigint[]) is
'What follows from the ends of children, these and those noted earlier: dependents and groups move on, up to the run.';
revoke all on function tenure_private.fold_run(bigint, bigint[]) from public;

-- sql/functions/private/fold_safely.sql
create or replace function tenure_private.fold_safely(p_run_id bigint)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    perform tenure_private.fold_run(p_run_id, '{}');
exception when others then
    -- One run's error stays its own.
    raise warning using
        message = format('the sweep could not fold run %s: %s', p_run_id, sqlerrm), errcode = sqlstate;
end
$function$;
comment on function tenure_private.fold_safely(bigint) is 'fold_run() for one run of a sweep: an error is a warning.';
revoke all on function tenure_private.fold_safely(bigint) from public;

-- sql/functions/private/function_facts.sql
create or replace function tenure_private.function_facts(p_schemas oid[])
returns setof tenure_private.fact
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    return query
    select format('function %s', p.oid::regprocedure), f.aspect, f.fact
    from pg_proc as p
    join pg_language as l on l.oid = p.prolang
    cross join lateral (values
        ('body', md5(p.prosrc)),
        ('language', l.lanname::text),
        ('security', case when p.prosecdef then 'definer' else 'invoker' end),
        ('settings', coalesce(array_to_string(p.proconfig, '; '), '')),
        ('arguments', pg_get_function_arguments(p.oid)),
        ('result', pg_get_function_result(p.oid)),
        (
            'volatility', concat_ws(
                ' ', p.provolatile, p.proparallel, case when p.proisstrict then 'strict' end,
                case when p.proleakproof then 'leakproof' end
            )
        ),
        ('costs', format('%s, %s rows', p.procost, p.prorows)),
        ('support', case when p.prosupport <> 0 then p.prosupport::text end),
        ('owner', pg_get_userbyid(p.proowner)::text),
        ('grants', tenure_private.grants(coalesce(p.proacl, acldefault('f', p.proowner)))),
        ('comment', obj_description(p.oid, 'pg_proc'))
    ) as f (aspect, fact)
    where p.pronamespace = any(p_schemas);
end
$function$;
comment on function tenure_private.function_facts(oid[]) is 'The part of catalogue() about functions.';
revoke all on function tenure_private.function_facts(oid[]) from public;

-- sql/functions/private/grant_ask.sql
create or replace function tenure_private.grant_ask(
    p_step tenure_private.step, p_now timestamptz, p_ask tenure_private.ask
)
returns tenure_private.outcome
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_outcome tenure_private.outcome;
begin
    case p_ask.verb
        when 'skip' then
            v_outcome.verdict := 'skipped';
            v_outcome.state := 'skipped';
            v_outcome.reason := p_ask.reason;
        when 'fail' then
            -- A handler that its worker stopped just before the limit: the timeout, taken at once.
            if p_ask.kind = 'timeout' then
                return tenure_private.pass_limit(p_step, p_now, 'timeout', 'timed_out', p_ask.error);
            end if;
            return tenure_private.consume_attempt(p_step, p_now, null, p_ask.kind, p_ask.error, p_ask.retry_after);
        when 'release' then
            v_outcome := tenure_private.back_in_line(p_step, p_now, 'released');
            v_outcome.releases := p_step.releases + 1;
        when 'sleep', 'wait_signal' then
            return tenure_private.begin_wait(p_step, p_now, p_ask);
    end case;
    return v_outcome;
end
$function$;
comment on function tenure_private.grant_ask(tenure_private.step, timestamptz, tenure_private.ask) is
'What a report in time and under the lease brings about. complete is not here: settle() grants it for whole batches.';
revoke all on function tenure_private.grant_ask(tenure_private.step, timestamptz, tenure_private.ask) from public;

-- sql/functions/private/granted_queues.sql
create or replace function tenure_private.granted_queues(p_role name)
returns int[]
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_granted int [];
begin
    select array_agg(g.queue_id) into strict v_granted
    from tenure_private.queue_grant as g
    -- By name, so that a role that is gone grants nothing and raises nothing.
    join pg_roles as r on r.rolname = g.role
    where pg_has_role(p_role, r.oid, 'usage');
    return v_granted;
end
$function$;
comment on function tenure_private.granted_queues(name) is 'The queues granted to a role or to roles whose rights it has; NULL: none was.';
revoke all on function tenure_private.granted_queues(name) from public;

-- sql/functions/private/grants.sql
create or replace function tenure_private.grants(p_acl aclitem[])
returns text
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_grants text;
begin
    if p_acl is null then
        return 'default';
    end if;
    select string_agg(
        format(
            '%s=%s%s', case a.grantee when 0 then 'PUBLIC' else pg_get_userbyid(a.grantee) end, a.privilege_type,
            case when a.is_grantable then '*' end
        ), ', '
        order by case a.grantee when 0 then 'PUBLIC' else pg_get_userbyid(a.grantee) end collate "C", a.privilege_type
    ) into strict v_grants
    from aclexplode(p_acl) as a
    -- Owners have this right of themselves from PostgreSQL 17 on: a database that moved there has not changed by it.
    where a.grantee <> a.grantor or a.privilege_type <> 'MAINTAIN';
    return coalesce(v_grants, 'none');
end
$function$;
comment on function tenure_private.grants(aclitem[]) is 'An access list as sorted text, by names of roles; * is the right to grant it on.';
revoke all on function tenure_private.grants(aclitem[]) from public;

-- sql/functions/private/group_event.sql
create or replace function tenure_private.group_event(p_step_id bigint)
returns text
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- volatile: asked after a fold, it must see what that has just written.
declare
    v_event text;
begin
    select case
        when s.state = 'discarded' and s.error_kind = 'deadline' then 'discarded'
        when s.state = 'discarded' then 'timed_out discarded'
        else 'timed_out'
    end
    into strict v_event
    from tenure_private.step as s
    where s.step_id = p_step_id;
    return v_event;
end
$function$;
comment on function tenure_private.group_event(bigint) is
'What a sweep counts for a group of which a limit has just passed.';
revoke all on function tenure_private.group_event(bigint) from public;

-- sql/functions/private/group_limit.sql
create or replace function tenure_private.group_limit(p_step tenure_private.step, p_now timestamptz)
returns text
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- volatile: asked in the middle of a fold, it must see what that has just written.
begin
    return case
        when p_step.deadline_at <= p_now then tenure_private.passed_kind(p_step, p_now)
        when p_step.state = 'waiting_steps' and p_step.started_at + p_step.timeout <= p_now then 'timeout'
    end;
end
$function$;
comment on function tenure_private.group_limit(tenure_private.step, timestamptz) is
'Which limit of an unfinished group has passed: deadline or timeout; NULL: none.';
revoke all on function tenure_private.group_limit(tenure_private.step, timestamptz) from public;

-- sql/functions/private/group_output.sql
create or replace function tenure_private.group_output(p_step tenure_private.step, p_group tenure_private.step_group)
returns jsonb
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_output jsonb;
begin
    if not p_group.maps then
        select case
            when w.outputs is not null then tenure_private.key_values(p_step.step_id, p_step.attempt, w.outputs)
            else coalesce((
                select jsonb_object_agg(p.key, p.value)
                from tenure_private.published as p
                where p.group_id = p_step.step_id and p.attempt = p_step.attempt
            ), '{}')
        end
        into strict v_output
        from tenure_private.workflow as w
        where w.workflow_id = p_group.workflow_id;
        return v_output;
    end if;
    select coalesce(jsonb_agg(s.output order by s.position), '[]') into strict v_output
    from tenure_private.member as m
    join tenure_private.step as s on s.step_id = m.step_id
    where m.group_id = p_step.step_id and m.attempt = p_step.attempt and s.position is not null;
    return v_output;
end
$function$;
comment on function tenure_private.group_output(tenure_private.step, tenure_private.step_group) is
'The output of a group whose children have ended: an object of those of its outputs that are there, by default of all that was published; of a map the outputs of its elements in their order.';
revoke all on function tenure_private.group_output(tenure_private.step, tenure_private.step_group) from public;

-- sql/functions/private/group_size.sql
create or replace function tenure_private.group_size(p_step tenure_private.step, p_group tenure_private.step_group)
returns bigint
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- volatile: as key_values().
declare
    v_bytes bigint;
begin
    if p_group.maps then
        select sum(tenure_private.document_size(s.output)) into strict v_bytes
        from tenure_private.member as m
        join tenure_private.step as s on s.step_id = m.step_id
        where m.group_id = p_step.step_id and m.attempt = p_step.attempt;
        return coalesce(v_bytes, 0);
    end if;
    return tenure_private.keys_size(p_step.step_id, p_step.attempt, (
        select coalesce(w.outputs, array(
            select p.key from tenure_private.published as p
            where p.group_id = p_step.step_id and p.attempt = p_step.attempt
        ))
        from tenure_private.workflow as w
        where w.workflow_id = p_group.workflow_id
    ));
end
$function$;
comment on function tenure_private.group_size(tenure_private.step, tenure_private.step_group) is
'How many bytes the parts of a group''s output take together.';
revoke all on function tenure_private.group_size(tenure_private.step, tenure_private.step_group) from public;

-- sql/functions/private/has_details.sql
create or replace function tenure_private.has_details(p_run_id bigint)
returns boolean
language sql stable parallel safe
as $function$
select
    exists (select from tenure_private.attempt as a where a.step_id = p_run_id)
    or exists (select from tenure_private.wait as w where w.step_id = p_run_id)
    or exists (select from tenure_private.signal as g where g.run_id = p_run_id)
    or exists (select from tenure_private.checkpoint as c where c.step_id = p_run_id)
    or exists (select from tenure_private.idempotency as i where i.step_id = p_run_id);
$function$;
comment on function tenure_private.has_details(bigint) is 'Whether rows of other tables still belong to a run.';
revoke all on function tenure_private.has_details(bigint) from public;

-- sql/functions/private/has_layers.sql
create or replace function tenure_private.has_layers(p_step_id bigint)
returns boolean
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    return exists (select from tenure_private.layer as l where l.step_id = p_step_id);
end
$function$;
comment on function tenure_private.has_layers(bigint) is
'Whether a step''s policy is more than its columns can say. Only children have layers; callers ask for no other step.';
revoke all on function tenure_private.has_layers(bigint) from public;

-- sql/functions/private/has_tree.sql
create or replace function tenure_private.has_tree(p_step_id bigint)
returns boolean
language sql stable parallel safe
as $function$
select
    exists (select from tenure_private.step as s where s.root_id = p_step_id and s.parent_id is not null)
    or exists (select from tenure_private.member as m where m.group_id = p_step_id)
    or exists (select from tenure_private.published as p where p.group_id = p_step_id)
    or exists (select from tenure_private.step_group as g where g.step_id = p_step_id)
    or exists (select from tenure_private.staged as s where s.step_id = p_step_id)
    or exists (select from tenure_private.layer as l where l.step_id = p_step_id)
    or exists (select from tenure_private.event as e where e.run_id = p_step_id);
$function$;
comment on function tenure_private.has_tree(bigint) is 'Whether rows of the tables of groups still belong to a run or child, or children to a run.';
revoke all on function tenure_private.has_tree(bigint) from public;

-- sql/functions/private/head_lock.sql
create or replace function tenure_private.head_lock()
returns int
language sql immutable parallel safe
as $function$
select 1952804469;
$function$;
comment on function tenure_private.head_lock() is
'First half of the advisory locks that Tenure takes, all of them to the end of a transaction and all but the installer''s only tried. The second half is a track.';
revoke all on function tenure_private.head_lock() from public;

-- sql/functions/private/hidden_steps.sql
create or replace function tenure_private.hidden_steps(p_step_ids bigint[])
returns bigint[]
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- A step keeps its queue, so this needs no lock, and nobody waits for a row that is hidden from him. Callers on the hot
-- path look first whether there is any grant at all.
declare
    v_closed constant int [] = tenure_private.closed_queues();
    v_hidden bigint [];
begin
    select coalesce(array_agg(s.step_id), '{}') into strict v_hidden
    from tenure_private.step as s
    join tenure_private.track as t on t.track_id = s.track_id
    where s.step_id = any(p_step_ids) and t.queue_id = any(v_closed);
    return v_hidden;
end
$function$;
comment on function tenure_private.hidden_steps(bigint[]) is
'Those of these steps that lie in queues which the caller may not use: for it they are not there.';
revoke all on function tenure_private.hidden_steps(bigint[]) from public;

-- sql/functions/private/hold_units.sql
create or replace function tenure_private.hold_units(p_picked tenure_private.picked)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- What does not run any more is left out here and nowhere else: reports write nothing for a quota.
begin
    with added as (
        select u.quota_id, array_agg(p.step_id) as step_ids
        from unnest(p_picked.step_ids, p_picked.track_ids) as p (step_id, track_id)
        join tenure_private.track as t on t.track_id = p.track_id
        cross join unnest(t.quota_ids) as u (quota_id)
        group by u.quota_id
    ),
    newest as materialized (
        select a.quota_id, a.step_ids as added, h.seq, h.step_ids
        from added as a
        cross join tenure_private.newest_hold(a.quota_id) as h
    ),
    replaced as (
        delete from tenure_private.quota_hold as h
        using newest as n
        where h.quota_id = n.quota_id and h.seq = n.seq
    )
    insert into tenure_private.quota_hold (quota_id, step_ids)
    select
        n.quota_id,
        n.added || array(
            select s.step_id from tenure_private.step as s where s.step_id = any(n.step_ids) and s.state = 'running'
        )
    from newest as n;
end
$function$;
comment on function tenure_private.hold_units(tenure_private.picked) is
'Notes the steps that a claim has picked under the quotas of their tracks, which it has locked.';
revoke all on function tenure_private.hold_units(tenure_private.picked) from public;

-- sql/functions/private/holds.sql
create or replace function tenure_private.holds(p_group_id bigint, p_attempt int, p_node tenure_private.node)
returns boolean
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- volatile: as key_values(). What raises even where errors are to be silent: comparing a date with a time zone's, and a
-- value so deep that walking through it takes more stack than there is.
begin
    return coalesce(jsonb_path_match(
        tenure_private.key_values(
            p_group_id, p_attempt, array(select w.key from tenure_private.need as w where w.node_id = p_node.node_id)
        ),
        p_node.condition, '{}', true
    ), false);
exception when data_exception or feature_not_supported or program_limit_exceeded then
    return false;
end
$function$;
comment on function tenure_private.holds(bigint, int, tenure_private.node) is
'Whether the when of a node is true of the keys that are there; null and errors are false.';
revoke all on function tenure_private.holds(bigint, int, tenure_private.node) from public;

-- sql/functions/private/in_flight_below.sql
create or replace function tenure_private.in_flight_below(p_run_id bigint)
returns boolean
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_now constant timestamptz = tenure_private.clock();
begin
    return exists (
        select from tenure_private.step as s
        where s.root_id = p_run_id and s.parent_id is not null and s.lease_expiry >= v_now
    );
end
$function$;
comment on function tenure_private.in_flight_below(bigint) is 'Whether a child of a run has an unexpired lease: its body may still run.';
revoke all on function tenure_private.in_flight_below(bigint) from public;

-- sql/functions/private/in_time.sql
create or replace function tenure_private.in_time(p_now timestamptz, p_deadline_at timestamptz, p_start_by timestamptz)
returns boolean
language sql immutable parallel safe
as $function$
-- Unpinned and plain, so that the planner inlines it.
select (p_deadline_at is null or p_deadline_at > p_now) and (p_start_by is null or p_start_by > p_now);
$function$;
comment on function tenure_private.in_time(timestamptz, timestamptz, timestamptz) is
'Whether a due step may still be claimed: neither its deadline nor its start_within has passed, swept or not.';
revoke all on function tenure_private.in_time(timestamptz, timestamptz, timestamptz) from public;

-- sql/functions/private/insert_child.sql
create or replace function tenure_private.insert_child(
    p_by tenure_private.step,
    p_step_id bigint,
    p_settings tenure_private.settings,
    p_input jsonb,
    p_headers jsonb,
    p_scheduled_at timestamptz,
    p_now timestamptz
)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- The caller holds the starting step's row and its run shared: so neither has ended, and nobody pauses the run.
declare
    v_parent_id constant bigint = coalesce(p_by.parent_id, p_by.step_id);
    v_paused boolean;
    v_deadline_at constant timestamptz = p_now + coalesce(p_settings.bound, p_settings.deadline);
    v_start_by constant timestamptz = greatest(p_scheduled_at, p_now) + p_settings.start_within;
begin
    select p_by.pausing or r.state = 'paused' into strict v_paused
    from tenure_private.step as r where r.step_id = p_by.root_id;
    insert into tenure_private.step (
        step_id, root_id, parent_id, track_id, state, paused_state, paused_at, scheduled_at, created_at, attempt,
        max_attempts, reclaims, max_reclaims, releases, lease_generation, timeout, deadline, deadline_at, start_within,
        start_by, progress_timeout, on_timeout, backoff, headers, input, tree, pausing, waited, purging, alarm_at,
        group_attempt, group_limit_at
    )
    values (
        p_step_id, p_by.root_id, v_parent_id, p_settings.track_id,
        case when v_paused then 'paused' else 'available' end, case when v_paused then 'available' end,
        case when v_paused then p_now end, p_scheduled_at, p_now, 1, p_settings.max_attempts, 0,
        p_settings.max_reclaims, 0, 0, p_settings.timeout, p_settings.deadline, v_deadline_at,
        p_settings.start_within, v_start_by, p_settings.progress_timeout, p_settings.on_timeout, p_settings.backoff,
        p_headers, p_input, false, false, false, false,
        case when not v_paused then tenure_private.next_alarm(
            p_now, 'available', null, null, null, null, null, null, v_deadline_at, v_start_by, null
        ) end,
        p_by.group_attempt, p_by.group_limit_at
    );
    insert into tenure_private.member (group_id, attempt, node_id, step_id)
    values (v_parent_id, coalesce(p_by.group_attempt, 0), 0, p_step_id);
    if p_settings.layers is not null then
        perform tenure_private.add_layers(array[p_step_id], p_settings.layers, p_now);
    end if;
    -- Written in any case, so that who has an older snapshot cannot pass over the child: see lock_children().
    update tenure_private.step as s set tree = s.tree or s.parent_id is null where s.step_id = p_by.step_id;
    if not v_paused and p_scheduled_at <= p_now then
        if p_scheduled_at < p_now then
            perform tenure_private.note_behind(p_settings.track_id, p_scheduled_at);
        end if;
        perform tenure_private.wake(p_settings.track_id);
    end if;
end
$function$;
comment on function tenure_private.insert_child(
    tenure_private.step, bigint, tenure_private.settings, jsonb, jsonb, timestamptz, timestamptz
) is 'Inserts a child that a running step has started: beside it in its group, or under it where it is a run.';
revoke all on function tenure_private.insert_child(
    tenure_private.step, bigint, tenure_private.settings, jsonb, jsonb, timestamptz, timestamptz
) from public;

-- sql/functions/private/insert_children.sql
create or replace function tenure_private.insert_children(
    p_parent_ids bigint[],
    p_inputs jsonb[],
    p_positions int[],
    p_node tenure_private.node,
    p_role text,
    p_settings tenure_private.settings,
    p_now timestamptz
)
returns bigint[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- An element of a map waits for nothing more than its map did: it can be claimed at once, and needs its node only
-- for further keys.
declare
    v_step_ids bigint [];
    v_state constant text = case when p_positions is not null and p_role = 'leaf' then 'available' else 'pending' end;
    v_node_id constant int = case
        when p_positions is null or exists (
            select from tenure_private.need as w where w.node_id = p_node.node_id and w.key <> p_node.map_key
        ) then p_node.node_id
    end;
begin
    select array_agg(tenure_private.new_step_id()) into strict v_step_ids
    from generate_series(1, cardinality(p_parent_ids));
    insert into tenure_private.step (
        step_id, root_id, parent_id, track_id, state, scheduled_at, created_at, attempt, max_attempts, reclaims,
        max_reclaims, releases, lease_generation, timeout, deadline, deadline_at, start_within, start_by,
        progress_timeout, on_timeout, backoff, headers, input, tree, pausing, waited, purging, alarm_at,
        node_id, position, group_attempt, group_limit_at
    )
    select
        u.step_id, g.root_id, g.step_id, p_settings.track_id, v_state, d.due_at, p_now, 1, p_settings.max_attempts, 0,
        p_settings.max_reclaims, 0, 0, p_settings.timeout, p_settings.deadline,
        p_now + coalesce(p_settings.bound, p_settings.deadline),
        p_settings.start_within, d.start_by, p_settings.progress_timeout, p_settings.on_timeout, p_settings.backoff,
        coalesce(g.headers, p_settings.headers), coalesce(u.input, '{}'), p_role <> 'leaf', false, false, false,
        tenure_private.next_alarm(
            p_now, v_state, null, null, null, null, null, null,
            p_now + coalesce(p_settings.bound, p_settings.deadline), d.start_by, null
        ),
        v_node_id, u.position, g.attempt, tenure_private.limit_below(g)
    from unnest(v_step_ids, p_parent_ids, p_inputs, p_positions) as u (step_id, parent_id, input, position)
    join tenure_private.step as g on g.step_id = u.parent_id
    cross join lateral (
        select
            greatest(p_now, g.scheduled_at) as due_at,
            case
                when v_state = 'available' then greatest(p_now, g.scheduled_at) + p_settings.start_within
            end as start_by
    ) as d;
    insert into tenure_private.member (group_id, attempt, node_id, step_id)
    select u.parent_id, g.attempt, p_node.node_id, u.step_id
    from unnest(v_step_ids, p_parent_ids) as u (step_id, parent_id)
    join tenure_private.step as g on g.step_id = u.parent_id;
    if p_settings.layers is not null then
        perform tenure_private.add_layers(v_step_ids, p_settings.layers, p_now);
    end if;
    if p_role <> 'leaf' then
        perform tenure_private.insert_groups(v_step_ids, p_parent_ids, p_node, p_role);
    elsif v_state = 'available' then
        perform tenure_private.wake(p_settings.track_id);
    end if;
    return v_step_ids;
end
$function$;
comment on function tenure_private.insert_children(
    bigint[], jsonb[], int[], tenure_private.node, text, tenure_private.settings, timestamptz
) is 'Makes one child of a node for each of these groups, in their present attempt, and returns the ids in order: pending, but available where it is a leaf of a map. p_positions: which elements of a map they are; NULL: none.';
revoke all on function tenure_private.insert_children(
    bigint[], jsonb[], int[], tenure_private.node, text, tenure_private.settings, timestamptz
) from public;

-- sql/functions/private/insert_groups.sql
create or replace function tenure_private.insert_groups(
    p_step_ids bigint[], p_parent_ids bigint[], p_node tenure_private.node, p_role text
)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- What a mount mounts was settled when the run began. A map hands on what wraps it; a mount adds what its workflow
-- puts around each node, and leaves out what wraps itself where it says so.
begin
    insert into tenure_private.step_group (
        step_id, workflow_id, maps, on_failure, inherited, quota_ids, open, done, doomed, final, uncertain
    )
    select
        u.step_id, w.workflow_id, p_role = 'map', coalesce(w.on_failure, p.on_failure),
        case when p_role = 'map' or p_node.inherits then p.inherited else '[]' end || coalesce(w.policy, '[]'),
        q.quota_ids, 0, 0, false, false, false
    from unnest(p_step_ids, p_parent_ids) as u (step_id, parent_id)
    join tenure_private.step_group as p on p.step_id = u.parent_id
    join tenure_private.step as s on s.step_id = u.step_id
    join tenure_private.step_group as r on r.step_id = s.root_id
    cross join lateral (
        select array(
            select i.quota_id from unnest(p.quota_ids) as i (quota_id)
            union
            select i.quota_id from tenure_private.quota as i where i.name = p_node.quota
            order by 1
        ) as quota_ids
    ) as q
    left join tenure_private.workflow as w
        on p_role = 'mount' and w.workflow_id = (r.mounts ->> p_node.workflow)::int;
end
$function$;
comment on function tenure_private.insert_groups(bigint[], bigint[], tenure_private.node, text) is
'Makes these new children of a node groups: mounts or maps.';
revoke all on function tenure_private.insert_groups(bigint[], bigint[], tenure_private.node, text) from public;

-- sql/functions/private/insert_run.sql
create or replace function tenure_private.insert_run(
    p_workflow tenure_private.workflow,
    p_run_id bigint,
    p_settings tenure_private.settings,
    p_input jsonb,
    p_headers jsonb,
    p_scheduled_at timestamptz,
    p_now timestamptz
)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    insert into tenure_private.step (
        step_id, root_id, track_id, state, scheduled_at, created_at, attempt, max_attempts, reclaims, releases,
        lease_generation, timeout, deadline, deadline_at, on_timeout, backoff, headers, input, tree, pausing, waited,
        purging
    )
    values (
        p_run_id, p_run_id, p_settings.track_id, 'waiting_steps', p_scheduled_at, p_now, 1, p_settings.max_attempts, 0,
        0, 0, p_settings.timeout, p_settings.deadline, p_now + p_settings.deadline, p_settings.on_timeout,
        p_settings.backoff, p_headers, p_input, true, false, false, false
    );
    insert into tenure_private.step_group (
        step_id, workflow_id, maps, on_failure, inherited, mounts, quota_ids, open, done, doomed, final, uncertain
    )
    values (
        p_run_id, p_workflow.workflow_id, false, p_workflow.on_failure, p_workflow.policy,
        tenure_private.mounted_versions(p_workflow.workflow_id), '{}', 0, 0, false, false, false
    );
end
$function$;
comment on function tenure_private.insert_run(
    tenure_private.workflow, bigint, tenure_private.settings, jsonb, jsonb, timestamptz, timestamptz
) is 'Inserts the row of a run of a workflow; open_groups() makes its children.';
revoke all on function tenure_private.insert_run(
    tenure_private.workflow, bigint, tenure_private.settings, jsonb, jsonb, timestamptz, timestamptz
) from public;

-- sql/functions/private/insert_steps.sql
create or replace function tenure_private.insert_steps(
    p_settings tenure_private.settings,
    p_step_ids bigint[],
    p_inputs jsonb[],
    p_headers jsonb[],
    p_scheduled_at timestamptz[],
    p_now timestamptz
)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_first timestamptz;
begin
    with new as (
        select u.step_id, u.input, u.headers, u.scheduled_at, p_now + p_settings.deadline as deadline_at,
            greatest(u.scheduled_at, p_now) + p_settings.start_within as start_by
        from unnest(p_step_ids, p_inputs, p_headers, p_scheduled_at) as u (step_id, input, headers, scheduled_at)
    ),
    inserted as (
        insert into tenure_private.step (
            step_id, root_id, track_id, state, scheduled_at, created_at, attempt, max_attempts, reclaims, max_reclaims,
            releases, lease_generation, timeout, deadline, deadline_at, start_within, start_by, progress_timeout,
            on_timeout, backoff, headers, input, tree, pausing, waited, purging, alarm_at
        )
        select
            n.step_id, n.step_id, p_settings.track_id, 'available', n.scheduled_at, p_now, 1, p_settings.max_attempts,
            0, p_settings.max_reclaims, 0, 0, p_settings.timeout, p_settings.deadline, n.deadline_at,
            p_settings.start_within, n.start_by, p_settings.progress_timeout, p_settings.on_timeout, p_settings.backoff,
            coalesce(n.headers, p_settings.headers), n.input, false, false, false, false,
            tenure_private.next_alarm(
                p_now, 'available', null, null, null, null, null, null, n.deadline_at, n.start_by, null
            )
        from new as n
        returning scheduled_at
    )
    select min(i.scheduled_at) into strict v_first from inserted as i;
    if v_first <= p_now then
        if v_first < p_now then
            perform tenure_private.note_behind(p_settings.track_id, v_first);
        end if;
        perform tenure_private.wake(p_settings.track_id);
    end if;
end
$function$;
comment on function tenure_private.insert_steps(
    tenure_private.settings, bigint[], jsonb[], jsonb[], timestamptz[], timestamptz
) is 'Inserts plain steps of one policy. The caller had its transaction id before it read p_now: the heads rely on it.';
revoke all on function tenure_private.insert_steps(
    tenure_private.settings, bigint[], jsonb[], jsonb[], timestamptz[], timestamptz
) from public;

-- sql/functions/private/keep_doubt.sql
create or replace function tenure_private.keep_doubt(p_step_ids bigint[], p_now timestamptz)
returns bigint[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- Were such a group cancelled, the one around it would not hear of the doubt, and begin anew. Inner ones first: their
-- ids are higher, for they were made later. The caller has locked these steps and their run.
declare
    v_step tenure_private.step;
    v_group tenure_private.step_group;
    v_kept bigint [] := array[]::bigint [];
begin
    for v_step in
        select s.* from tenure_private.step as s where s.step_id = any(p_step_ids) and s.tree order by s.step_id desc
    loop
        select g.* into strict v_group from tenure_private.step_group as g where g.step_id = v_step.step_id;
        continue when not v_group.uncertain;
        perform tenure_private.log_group(v_step, v_group, p_now);
        perform tenure_private.land(
            array[v_step.step_id], null,
            tenure_private.discard(v_step, 'discarded', v_group.error_kind, v_group.error), p_now, null, null
        );
        update tenure_private.step_group as g
        set uncertain = true,
            error_kind = case when t.tells then v_group.error_kind else g.error_kind end,
            error = case when t.tells then v_group.error else g.error end
        from (
            select o.step_id, not o.uncertain and (o.ending = 'group_ended' or o.error_kind is null) as tells
            from tenure_private.step_group as o
        ) as t
        where g.step_id = v_step.parent_id and t.step_id = g.step_id;
        v_kept := v_kept || v_step.step_id;
    end loop;
    return v_kept;
end
$function$;
comment on function tenure_private.keep_doubt(bigint[], timestamptz) is
'Of these steps, which are about to be called off, discards the groups in which an outside commit is in doubt, tells those around them, and returns them.';
revoke all on function tenure_private.keep_doubt(bigint[], timestamptz) from public;

-- sql/functions/private/keep_house.sql
create or replace function tenure_private.keep_house()
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_now constant timestamptz = tenure_private.clock();
begin
    if tenure_private.chore_due(-1, v_now, interval '1 second') then
        perform tenure_private.do_chore('retire', v_now);
    end if;
    if tenure_private.chore_due(-2, v_now, interval '30 seconds') then
        perform tenure_private.do_chore('clear_away', v_now);
        perform tenure_private.do_chore('look_behind', v_now);
    end if;
end
$function$;
comment on function tenure_private.keep_house() is 'What the sweep does now and then besides: retention, and the clearing away of what has expired.';
revoke all on function tenure_private.keep_house() from public;

-- sql/functions/private/key_state.sql
create or replace function tenure_private.key_state(
    p_group_id bigint, p_attempt int, p_node_id int, out missing boolean, out blocked boolean, out settled boolean
)
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- Where a failure ends the whole group, what its failed child would have provided stays open: the siblings are called
-- off, and not skipped, so that a retry can bring them back. Where the group goes on, they are blocked, for the same.
-- volatile: a fold asks for what it has just written.
declare
    v_input jsonb;
    v_goes_on boolean;
begin
    select case when jsonb_typeof(s.input) = 'object' then s.input else '{}' end, g.on_failure = 'continue'
    into strict v_input, v_goes_on
    from tenure_private.step as s
    join tenure_private.step_group as g on g.step_id = s.step_id
    where s.step_id = p_group_id;
    select
        coalesce(bool_or(k.gone and not k.optional), false),
        coalesce(bool_or(k.lost and not k.optional), false),
        coalesce(bool_and(k.there or k.gone or k.lost), true)
    into strict missing, blocked, settled
    from (
        select w.optional, t.there, not t.there and (w.producer_id is null or p.gone) as gone,
            not t.there and v_goes_on and p.lost as lost
        from tenure_private.need as w
        cross join lateral (
            select v_input ? w.key or exists (
                select from tenure_private.published as p
                where p.group_id = p_group_id and p.attempt = p_attempt and p.key = w.key
            ) as there
        ) as t
        cross join lateral (
            select
                coalesce(bool_or(s.state in ('completed', 'skipped')), false) as gone,
                coalesce(
                    bool_or(s.state = 'discarded' or (s.state = 'pending' and s.reason = 'blocked')), false
                ) as lost
            from tenure_private.member as m
            join tenure_private.step as s on s.step_id = m.step_id
            where m.group_id = p_group_id and m.attempt = p_attempt and m.node_id = w.producer_id
        ) as p
        where w.node_id = p_node_id
    ) as k;
end
$function$;
comment on function tenure_private.key_state(bigint, int, int) is
'Of what a node needs, in one attempt of its group: missing: a required key will never come; blocked: one waits for a child that has failed; settled: each key is there, or will not come.';
revoke all on function tenure_private.key_state(bigint, int, int) from public;

-- sql/functions/private/key_values.sql
create or replace function tenure_private.key_values(p_group_id bigint, p_attempt int, p_keys text[])
returns jsonb
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- volatile: a fold asks for what it has just published.
declare
    v_input jsonb;
    v_values jsonb;
begin
    select case when jsonb_typeof(s.input) = 'object' then s.input else '{}' end into strict v_input
    from tenure_private.step as s where s.step_id = p_group_id;
    select coalesce(jsonb_object_agg(k.key, k.value), '{}') into strict v_values
    from (
        select u.key, coalesce(p.value, v_input -> u.key) as value
        from unnest(p_keys) as u (key)
        left join tenure_private.published as p on p.group_id = p_group_id and p.attempt = p_attempt and p.key = u.key
    ) as k
    where k.value is not null;
    return v_values;
end
$function$;
comment on function tenure_private.key_values(bigint, int, text[]) is
'An object of those of these keys that are there, in one attempt of a group: published, or in its input.';
revoke all on function tenure_private.key_values(bigint, int, text[]) from public;

-- sql/functions/private/keys_size.sql
create or replace function tenure_private.keys_size(p_group_id bigint, p_attempt int, p_keys text[])
returns bigint
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- volatile: as key_values().
declare
    v_bytes bigint;
begin
    select sum(tenure_private.document_size(coalesce(p.value, s.input -> u.key))) into strict v_bytes
    from tenure_private.step as s
    cross join unnest(p_keys) as u (key)
    left join tenure_private.published as p on p.group_id = p_group_id and p.attempt = p_attempt and p.key = u.key
    where s.step_id = p_group_id;
    return coalesce(v_bytes, 0);
end
$function$;
comment on function tenure_private.keys_size(bigint, int, text[]) is
'How many bytes the values of these keys take together, in one attempt of a group.';
revoke all on function tenure_private.keys_size(bigint, int, text[]) from public;

-- sql/functions/private/land.sql
create or replace function tenure_private.land(
    p_step_ids bigint[],
    p_outputs jsonb[],
    p_outcome tenure_private.outcome,
    p_now timestamptz,
    p_verb text,
    p_owner text
)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- The caller holds the locks of all these steps and has decided under them.
declare
    v_terminal constant boolean = p_outcome.state in ('completed', 'skipped', 'discarded', 'cancelled');
    v_succeeded constant boolean = p_outcome.state in ('completed', 'skipped');
    v_reported constant text = p_verb || ' ' || p_outcome.verdict || ' ' || p_owner;
    v_waits constant boolean = coalesce(p_verb in ('sleep', 'wait_signal'), false);
    v_finished_at constant timestamptz = case when v_terminal then p_now end;
    v_count int;
begin
    update tenure_private.step as s
    set state = case when s.pausing and not v_terminal then 'paused' else p_outcome.state end,
        paused_state = case when s.pausing and not v_terminal then p_outcome.state end,
        paused_at = case when s.pausing and not v_terminal then p_now end,
        pausing = false,
        scheduled_at = coalesce(p_outcome.scheduled_at, s.scheduled_at),
        due_at = p_outcome.due_at,
        waited = s.waited or v_waits,
        attempt = coalesce(p_outcome.attempt, s.attempt),
        output = u.output,
        error = case when not v_succeeded then coalesce(p_outcome.error, s.error) end,
        error_kind = case when not v_succeeded then coalesce(p_outcome.error_kind, s.error_kind) end,
        reason = p_outcome.reason,
        reclaims = coalesce(p_outcome.reclaims, s.reclaims),
        releases = coalesce(p_outcome.releases, s.releases),
        lease_owner = case when p_outcome.keeps_lease then s.lease_owner end,
        lease_expiry = case when p_outcome.keeps_lease then s.lease_expiry end,
        -- What happens from outside does not change what the last report was told.
        reported = coalesce(v_reported, s.reported),
        finished_at = v_finished_at,
        alarm_at = case
            when not v_terminal and not s.pausing then tenure_private.next_alarm(
                p_now, p_outcome.state, null, s.on_timeout, s.started_at, s.timeout, s.progress_at, s.progress_timeout,
                s.deadline_at, s.start_by, p_outcome.due_at
            )
        end
    from unnest(p_step_ids, p_outputs) as u (step_id, output)
    -- Said twice, so that the index is read once for all and not for each.
    where s.step_id = u.step_id and s.step_id = any(p_step_ids);
    get diagnostics v_count = row_count;
    if v_count <> cardinality(p_step_ids) then
        raise exception using errcode = 'XX000', message = 'a decided transition found no step to land on';
    end if;
end
$function$;
comment on function tenure_private.land(
    bigint[], jsonb[], tenure_private.outcome, timestamptz, text, text
) is 'Writes one decided transition to these steps: the only statement that takes a step out of running. p_verb and p_owner: the report that caused it, NULL when it comes from outside.';
revoke all on function tenure_private.land(
    bigint[], jsonb[], tenure_private.outcome, timestamptz, text, text
) from public;

-- sql/functions/private/land_one.sql
create or replace function tenure_private.land_one(
    p_step tenure_private.step, p_outcome tenure_private.outcome, p_now timestamptz, p_verb text, p_owner text
)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    if p_outcome.ends_attempt is not null then
        perform tenure_private.log_attempts(array[p_step.step_id], p_outcome, p_now);
    end if;
    if p_step.node_id is not null and (
        p_outcome.ends_attempt is not null
        or (p_step.state = 'running' and p_outcome.state not in ('waiting_timer', 'waiting_signal'))
    ) then
        perform tenure_private.drop_staged(array[p_step.step_id]);
    end if;
    perform tenure_private.land(array[p_step.step_id], null, p_outcome, p_now, p_verb, p_owner);
    if p_outcome.state = 'available' and p_outcome.scheduled_at <= p_now and not p_step.pausing then
        perform tenure_private.note_behind(p_step.track_id, p_outcome.scheduled_at);
        perform tenure_private.wake(p_step.track_id);
    end if;
end
$function$;
comment on function tenure_private.land_one(
    tenure_private.step, tenure_private.outcome, timestamptz, text, text
) is 'Lands one step: its ended attempt is logged, what it staged goes unless it only waits, and where it became claimable at once, its track''s head and a waiting worker are told.';
revoke all on function tenure_private.land_one(
    tenure_private.step, tenure_private.outcome, timestamptz, text, text
) from public;

-- sql/functions/private/last_wait.sql
create or replace function tenure_private.last_wait(p_step_id bigint)
returns jsonb
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_wait jsonb;
begin
    select jsonb_build_object(
        'key', w.key, 'kind', w.kind, 'signal', w.signal, 'outcome', w.outcome, 'payload', w.payload
    ) into v_wait
    from tenure_private.wait as w
    where w.step_id = p_step_id and w.outcome is not null
    order by coalesce(w.again, w.seq) desc
    limit 1;
    return v_wait;
end
$function$;
comment on function tenure_private.last_wait(bigint) is 'What ended the wait that a step asked for last, as claimed.signal shows it.';
revoke all on function tenure_private.last_wait(bigint) from public;

-- sql/functions/private/late_verdict.sql
create or replace function tenure_private.late_verdict(
    p_step tenure_private.step, p_owner text, p_generation bigint, p_verb text
)
returns text
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $function$
begin
    -- reported is "verb verdict owner"; it speaks of the last generation, until the next claim clears it.
    if p_step.lease_generation = p_generation
        and split_part(p_step.reported, ' ', 1) = p_verb
        and substr(p_step.reported, length(p_verb) + length(split_part(p_step.reported, ' ', 2)) + 3) = p_owner
    then
        return split_part(p_step.reported, ' ', 2);
    elsif p_step.state = 'cancelled' then
        return 'cancelled';
    end if;
    return 'stale';
end
$function$;
comment on function tenure_private.late_verdict(tenure_private.step, text, bigint, text) is
'The answer to a report without a lease: the one it got before, else cancelled, else stale.';
revoke all on function tenure_private.late_verdict(tenure_private.step, text, bigint, text) from public;

-- sql/functions/private/latest_workflow.sql
create or replace function tenure_private.latest_workflow(p_name text)
returns tenure_private.workflow
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- volatile: define_workflow() asks for what it has just written.
declare
    v_workflow tenure_private.workflow;
begin
    perform tenure_private.check_name(p_name, 'workflow');
    select w.* into v_workflow from tenure_private.workflow as w where w.name = p_name order by w.version desc limit 1;
    if v_workflow.workflow_id is null then
        perform tenure_private.refuse(
            'workflow_unknown', 'there is no such workflow', format('Workflow %s.', p_name),
            'Define it first: select tenure.define_workflow(name, definition).'
        );
    end if;
    return v_workflow;
end
$function$;
comment on function tenure_private.latest_workflow(text) is 'The newest version of a workflow; refuses (TN030) an unknown one.';
revoke all on function tenure_private.latest_workflow(text) from public;

-- sql/functions/private/leaf_quotas.sql
create or replace function tenure_private.leaf_quotas(
    p_node tenure_private.node, p_quota_ids int[], p_definition tenure_private.definition
)
returns int[]
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_own int := p_definition.quota_id;
begin
    -- That of a map is around its elements, among p_quota_ids.
    if p_node.quota is not null and p_node.map_key is null then
        v_own := (tenure_private.find_quota(p_node.quota)).quota_id;
    end if;
    return array(
        select distinct u.quota_id
        from unnest(p_quota_ids || v_own) as u (quota_id)
        where u.quota_id is not null
        order by 1
    );
end
$function$;
comment on function tenure_private.leaf_quotas(tenure_private.node, int[], tenure_private.definition) is
'The quotas of a step made for a node, by id: those of the mounts and maps around it (p_quota_ids), and its own, else that of its definition.';
revoke all on function tenure_private.leaf_quotas(tenure_private.node, int[], tenure_private.definition) from public;

-- sql/functions/private/limit_below.sql
create or replace function tenure_private.limit_below(p_group tenure_private.step)
returns timestamptz
language sql stable parallel safe
as $function$
-- Unpinned and plain, so that the planner inlines it.
select least(p_group.group_limit_at, p_group.deadline_at, p_group.started_at + p_group.timeout);
$function$;
comment on function tenure_private.limit_below(tenure_private.step) is
'When the first limit of a group, or of the groups around it, ends what is in it; NULL: none does. It stands in group_limit_at of its children.';
revoke all on function tenure_private.limit_below(tenure_private.step) from public;

-- sql/functions/private/limit_error.sql
create or replace function tenure_private.limit_error(
    p_step tenure_private.step, p_name text, p_kind text, p_cause jsonb
)
returns jsonb
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $function$
-- Durations as numbers of seconds: their text would hang on the session's IntervalStyle.
declare
    v_limit constant interval = case p_kind
        when 'timeout' then p_step.timeout
        when 'progress' then p_step.progress_timeout
        when 'start_within' then p_step.start_within
        when 'deadline' then p_step.deadline
    end;
    v_layer constant text = case p_kind when 'progress' then 'progress_timeout' else p_kind end;
    v_cause constant jsonb = coalesce(p_cause, case when p_kind = 'deadline' then p_step.error end);
begin
    return jsonb_strip_nulls(jsonb_build_object(
        'type', case p_kind when 'reclaim_limit' then 'ReclaimLimit' else 'LimitPassed' end,
        'kind', p_kind,
        'message', case p_kind
            when 'reclaim_limit' then format('the lease of step %s expired after %s reclaims', p_name, p_step.reclaims)
            when 'start_within' then format('step %s was not started in time', p_name)
            else format('step %s passed its %s', p_name, v_layer)
        end,
        'step', p_name,
        'limit', extract(epoch from v_limit),
        'layer', case when v_limit is not null then v_layer end
    )) || case when v_cause is null then '{}' else jsonb_build_object('cause', v_cause) end;
end
$function$;
comment on function tenure_private.limit_error(tenure_private.step, text, text, jsonb) is
'The error document of a step that ran into a limit: {"type", "kind", "message", "step", "limit" in seconds, "layer"}, under "cause" the error that the worker reported or, for a deadline, that of the last attempt.';
revoke all on function tenure_private.limit_error(tenure_private.step, text, text, jsonb) from public;

-- sql/functions/private/limit_keys.sql
create or replace function tenure_private.limit_keys(p_step_ids bigint[], p_now timestamptz, p_period interval)
returns void
language plpgsql volatile parallel unsafe strict
set search_path = pg_catalog, pg_temp
as $function$
begin
    update tenure_private.idempotency as i set expires_at = p_now + p_period where i.step_id = any(p_step_ids);
end
$function$;
comment on function tenure_private.limit_keys(bigint[], timestamptz, interval) is
'Lets the keys of these new steps stand for them no longer than idempotency_period; NULL: as long as the row lives.';
revoke all on function tenure_private.limit_keys(bigint[], timestamptz, interval) from public;

-- sql/functions/private/limit_passed.sql
create or replace function tenure_private.limit_passed(
    p_now timestamptz,
    p_deadline_at timestamptz,
    p_started_at timestamptz,
    p_timeout interval,
    p_progress_at timestamptz,
    p_progress_timeout interval
)
returns text
language sql stable parallel safe
as $function$
-- Unpinned and plain, so that the planner inlines it into the hot statements.
select case
    when p_now >= p_deadline_at then 'deadline'
    when p_now >= p_started_at + p_timeout then 'timeout'
    when p_now >= greatest(p_started_at, p_progress_at) + p_progress_timeout then 'progress'
end;
$function$;
comment on function tenure_private.limit_passed(timestamptz, timestamptz, timestamptz, interval, timestamptz, interval) is
'Which limit of a running step has passed, in the order that counts: deadline, timeout, progress; NULL for none.';
revoke all on function tenure_private.limit_passed(
    timestamptz, timestamptz, timestamptz, interval, timestamptz, interval
) from public;

-- sql/functions/private/lock_children.sql
create or replace function tenure_private.lock_children(p_run_id bigint)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- A caller under a stricter level than READ COMMITTED sees the run as it was. PostgreSQL refuses it (40001) the lock of
-- a row that has changed since: reports change the row of their step, start_child() the row of who calls it.
begin
    if current_setting('transaction_isolation') <> 'read committed' then
        perform tenure_private.lock_steps(p_run_id);
    end if;
end
$function$;
comment on function tenure_private.lock_children(bigint) is
'For callers that do not lock the children of a run anyway: sees to it that an old snapshot is noticed. The run is locked exclusively by the caller.';
revoke all on function tenure_private.lock_children(bigint) from public;

-- sql/functions/private/lock_run.sql
create or replace function tenure_private.lock_run(p_run_id bigint, p_wait boolean)
returns boolean
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- A run with children is locked FOR UPDATE, which shuts out the FOR KEY SHARE of their reports. One without needs
-- less, and so a foreign key or a reader's FOR KEY SHARE on its row cannot hold up the sweep or a cancel.
declare
    v_tree boolean;
begin
    if p_wait then
        select r.tree into v_tree from tenure_private.step as r where r.step_id = p_run_id for no key update;
        if v_tree then
            perform from tenure_private.step as r where r.step_id = p_run_id for update;
        end if;
    else
        select r.tree into v_tree
        from tenure_private.step as r
        where r.step_id = p_run_id
        for no key update skip locked;
        if v_tree then
            perform from tenure_private.step as r where r.step_id = p_run_id for update skip locked;
            return found;
        end if;
    end if;
    return v_tree is not null;
end
$function$;
comment on function tenure_private.lock_run(bigint, boolean) is
'Takes the lock of a run exclusively. False: there is no such run, or (p_wait false) somebody else has the lock.';
revoke all on function tenure_private.lock_run(bigint, boolean) from public;

-- sql/functions/private/lock_run_shared.sql
create or replace function tenure_private.lock_run_shared(p_step_ids bigint[])
returns boolean
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- A plain step is its own run: the lock of its row, which the caller takes next, is its run's lock too.
declare
    v_roots bigint [];
begin
    select array_agg(distinct s.root_id order by s.root_id) into strict v_roots
    from tenure_private.step as s
    where s.step_id = any(p_step_ids) and s.parent_id is not null;
    if v_roots is not null then
        perform from tenure_private.step as r where r.step_id = any(v_roots) order by r.step_id for key share;
    end if;
    return v_roots is not null;
end
$function$;
comment on function tenure_private.lock_run_shared(bigint[]) is
'Takes the locks of the runs of these steps shared, in order of run: reports of leaves do not shut each other out. Whether any of them is a child.';
revoke all on function tenure_private.lock_run_shared(bigint[]) from public;

-- sql/functions/private/lock_steps.sql
create or replace function tenure_private.lock_steps(p_run_id bigint)
returns bigint[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- volatile: it locks what it reads. The caller holds the run exclusively: no child comes or goes meanwhile.
begin
    return p_run_id || array(
        select s.step_id
        from tenure_private.step as s
        where s.root_id = p_run_id and s.parent_id is not null
        order by s.step_id
        for no key update
    );
end
$function$;
comment on function tenure_private.lock_steps(bigint) is
'Locks the steps under a run, by id; the ids of all steps of the run, its own first.';
revoke all on function tenure_private.lock_steps(bigint) from public;

-- sql/functions/private/lock_whole.sql
create or replace function tenure_private.lock_whole(p_run_id bigint)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    perform tenure_private.lock_run(p_run_id, true);
    perform tenure_private.lock_children(p_run_id);
    if exists (select from tenure_private.event as e where e.run_id = p_run_id and not e.held) then
        perform tenure_private.fold_run(p_run_id, '{}');
    end if;
end
$function$;
comment on function tenure_private.lock_whole(bigint) is
'Takes the lock of a run exclusively, and folds what was left to do: the caller finds the run as it stands.';
revoke all on function tenure_private.lock_whole(bigint) from public;

-- sql/functions/private/locked_run.sql
create or replace function tenure_private.locked_run(p_run_id bigint)
returns tenure_private.step
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_run tenure_private.step;
begin
    -- Nobody waits for the lock of what is hidden from him.
    if tenure_private.hidden_steps(array[p_run_id]) = '{}' then
        perform tenure_private.lock_run(p_run_id, true);
    end if;
    v_run := tenure_private.find_run(p_run_id);
    return v_run;
end
$function$;
comment on function tenure_private.locked_run(bigint) is
'The row of a run, after its lock was taken exclusively. Refuses an unknown or hidden id (TN001) and a child''s (TN002).';
revoke all on function tenure_private.locked_run(bigint) from public;

-- sql/functions/private/log_attempts.sql
create or replace function tenure_private.log_attempts(
    p_step_ids bigint[], p_outcome tenure_private.outcome, p_now timestamptz
)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- A step that fails for ever must not fill the disk: behind its last hundred errors only their first words stay.
begin
    insert into tenure_private.attempt (step_id, generation, attempt, owner, started_at, ended_at, kind, error)
    select s.step_id, s.lease_generation, s.attempt,
        coalesce(s.lease_owner, regexp_replace(s.reported, '^\S+ \S+ ', '')), s.started_at, p_now,
        p_outcome.ends_attempt, p_outcome.error
    from tenure_private.step as s
    where s.step_id = any(p_step_ids) and s.lease_generation > 0
    -- An attempt that sleeps, waits or is back in line ends with its step. Where the last execution ended an attempt,
    -- its row is there, and the next has not begun.
    on conflict on constraint attempt_pkey do nothing;

    update tenure_private.attempt as a
    set error = jsonb_build_object(
            'type', left(a.error ->> 'type', 100), 'message', left(a.error ->> 'message', 200), 'cut', true
        )
    from tenure_private.step as s
    where s.step_id = any(p_step_ids) and s.lease_generation > 100
        and a.step_id = s.step_id and a.generation = s.lease_generation - 100 and a.error is not null;
end
$function$;
comment on function tenure_private.log_attempts(bigint[], tenure_private.outcome, timestamptz) is
'Keeps who ran each attempt that is ending without success, when and why. Called before the steps move.';
revoke all on function tenure_private.log_attempts(bigint[], tenure_private.outcome, timestamptz) from public;

-- sql/functions/private/log_group.sql
create or replace function tenure_private.log_group(
    p_step tenure_private.step, p_group tenure_private.step_group, p_now timestamptz
)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- A group has no generations: here its attempts take their place.
begin
    insert into tenure_private.attempt (step_id, generation, attempt, owner, started_at, ended_at, kind, error)
    values (
        p_step.step_id, p_step.attempt, p_step.attempt, null, p_step.started_at, p_now,
        p_group.error_kind, p_group.error
    )
    -- Reopened by an operator and failed once more: the same attempt.
    on conflict on constraint attempt_pkey do update
    set ended_at = excluded.ended_at, kind = excluded.kind, error = excluded.error;
end
$function$;
comment on function tenure_private.log_group(tenure_private.step, tenure_private.step_group, timestamptz) is
'Keeps when and why the attempt of a group that is ending without success began and ended.';
revoke all on function tenure_private.log_group(
    tenure_private.step, tenure_private.step_group, timestamptz
) from public;

-- sql/functions/private/look_behind.sql
create or replace function tenure_private.look_behind(p_now timestamptz)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- The belt to the braces of raise_head(): were a step ever left behind its head, or an alarm behind the sweep's
-- floor (by a clock that went back too little to be noticed, say), it would be found here.
begin
    insert into tenure_private.behind (track_id, scheduled_at)
    select t.track_id, s.scheduled_at
    from tenure_private.track as t
    cross join lateral (select (tenure_private.newest_head(t.track_id)).head as head) as h
    cross join lateral (
        select s.scheduled_at
        from tenure_private.step as s
        where s.track_id = t.track_id and s.state = 'available' and s.scheduled_at < h.head
            and tenure_private.in_time(p_now, least(s.deadline_at, s.group_limit_at), s.start_by)
        order by s.scheduled_at
        limit 1
    ) as s
    where not exists (select from tenure_private.behind as b where b.track_id = t.track_id);
    insert into tenure_private.head (track_id, head)
    select 0, s.alarm_at
    from (select (tenure_private.newest_head(0)).head as head) as h
    cross join lateral (
        select s.alarm_at from tenure_private.step as s where s.alarm_at < h.head order by s.alarm_at limit 1
    ) as s;
end
$function$;
comment on function tenure_private.look_behind(timestamptz) is 'Notes claimable steps that lie before their track''s head, and takes the sweep''s floor back to an alarm before it.';
revoke all on function tenure_private.look_behind(timestamptz) from public;

-- sql/functions/private/make_available.sql
create or replace function tenure_private.make_available(p_step_ids bigint[], p_now timestamptz)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- Due now, or, in a run that was given a delay, when its group is, or after the delay of its own next attempt. p_now
-- was read by a transaction that had its id before, so no head has passed it.
declare
    v_track_ids int [];
begin
    with moved as (
        update tenure_private.step as s
        set state = 'available',
            scheduled_at = greatest(p_now, g.scheduled_at, s.scheduled_at),
            start_by = greatest(p_now, g.scheduled_at, s.scheduled_at) + s.start_within,
            alarm_at = tenure_private.next_alarm(
                p_now, 'available', null, null, null, null, null, null, s.deadline_at,
                greatest(p_now, g.scheduled_at, s.scheduled_at) + s.start_within, null
            )
        from tenure_private.step as g
        where s.step_id = any(p_step_ids) and s.state = 'pending' and g.step_id = s.parent_id
        returning s.track_id, s.scheduled_at
    )
    select array_agg(distinct m.track_id) into strict v_track_ids from moved as m where m.scheduled_at <= p_now;
    perform tenure_private.wake(u.track_id) from unnest(v_track_ids) as u (track_id);
end
$function$;
comment on function tenure_private.make_available(bigint[], timestamptz) is 'Lets pending children be claimed, and wakes workers.';
revoke all on function tenure_private.make_available(bigint[], timestamptz) from public;

-- sql/functions/private/may_use_all.sql
create or replace function tenure_private.may_use_all(p_role name)
returns boolean
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
as $function$
begin
    return pg_has_role(p_role, 'tenure_operator', 'usage') or pg_has_role(p_role, 'tenure_owner', 'usage');
end
$function$;
comment on function tenure_private.may_use_all(name) is 'Whether no grant restricts this role: it has the rights of operators or of the owner.';
revoke all on function tenure_private.may_use_all(name) from public;

-- sql/functions/private/mounted_versions.sql
create or replace function tenure_private.mounted_versions(p_workflow_id int)
returns jsonb
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- volatile: a workflow may have been defined in this very statement.
declare
    v_mounts jsonb;
begin
    with recursive mounted (name, workflow_id) as (
        select n.workflow, (tenure_private.latest_workflow(n.workflow)).workflow_id
        from tenure_private.node as n
        where n.workflow_id = p_workflow_id and n.workflow is not null
        union
        select n.workflow, (tenure_private.latest_workflow(n.workflow)).workflow_id
        from mounted as m
        join tenure_private.node as n on n.workflow_id = m.workflow_id and n.workflow is not null
    )
    select jsonb_object_agg(m.name, m.workflow_id) into strict v_mounts from mounted as m;
    return v_mounts;
end
$function$;
comment on function tenure_private.mounted_versions(int) is
'The newest version of each workflow that this one mounts, by whatever way, by name; NULL: none.';
revoke all on function tenure_private.mounted_versions(int) from public;

-- sql/functions/private/names_member.sql
create or replace function tenure_private.names_member(p_object jsonb, p_member text)
returns text[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_value constant jsonb = nullif(p_object -> p_member, 'null');
    v_names text [];
begin
    if v_value is null then
        return null;
    elsif jsonb_typeof(v_value) <> 'array'
        or exists (select from jsonb_array_elements(v_value) as e (item) where jsonb_typeof(e.item) <> 'string')
    then
        perform tenure_private.refuse(
            'argument_invalid', format('%s is no array of names', p_member),
            format('Given: %s.', left(v_value::text, 200)),
            'Give a JSON array of strings.'
        );
    end if;
    select coalesce(array_agg(e.name order by e.n), '{}') into strict v_names
    from jsonb_array_elements_text(v_value) with ordinality as e (name, n);
    perform tenure_private.check_name(u.name, p_member) from unnest(v_names) as u (name);
    if cardinality(v_names) > (select count(distinct u.name) from unnest(v_names) as u (name)) then
        perform tenure_private.refuse(
            'argument_invalid', format('%s has a name twice', p_member),
            format('Given: %s.', left(v_value::text, 200)), 'Give each once.'
        );
    end if;
    return v_names;
end
$function$;
comment on function tenure_private.names_member(jsonb, text) is
'A member that is an array of names, each once; NULL where it is not given. Refuses the rest (TN005, TN007).';
revoke all on function tenure_private.names_member(jsonb, text) from public;

-- sql/functions/private/nearest_layer.sql
create or replace function tenure_private.nearest_layer(p_step_id bigint)
returns timestamptz
language sql stable parallel safe
set search_path = pg_catalog, pg_temp
as $function$
select min(l.entered_at + l.span) from tenure_private.layer as l where l.step_id = p_step_id;
$function$;
comment on function tenure_private.nearest_layer(bigint) is
'When the first of a step''s layers passes, as far as they count from where they were entered; NULL: none does. It stands in deadline_at.';
revoke all on function tenure_private.nearest_layer(bigint) from public;

-- sql/functions/private/nearest_limit.sql
create or replace function tenure_private.nearest_limit(
    p_deadline_at timestamptz,
    p_started_at timestamptz,
    p_timeout interval,
    p_progress_at timestamptz,
    p_progress_timeout interval
)
returns timestamptz
language sql stable parallel safe
as $function$
-- Unpinned and plain, so that the planner inlines it.
select least(
    p_deadline_at, p_started_at + p_timeout, greatest(p_started_at, p_progress_at) + p_progress_timeout
);
$function$;
comment on function tenure_private.nearest_limit(timestamptz, timestamptz, interval, timestamptz, interval) is
'From when on limit_passed() names a limit of a running step; NULL: it has none.';
revoke all on function tenure_private.nearest_limit(
    timestamptz, timestamptz, interval, timestamptz, interval
) from public;

-- sql/functions/private/new_step_id.sql
create or replace function tenure_private.new_step_id()
returns bigint
language sql volatile parallel unsafe
as $function$
select pg_catalog.nextval('tenure_private.step_id_seq');
$function$;
comment on function tenure_private.new_step_id() is 'The next step_id; the place where a shard''s number would go into the high bits.';
revoke all on function tenure_private.new_step_id() from public;

-- sql/functions/private/newest_head.sql
create or replace function tenure_private.newest_head(p_track_id int)
returns tenure_private.head
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_head tenure_private.head;
begin
    select h.* into v_head from tenure_private.head as h where h.track_id = p_track_id order by h.seq desc limit 1;
    return v_head;
end
$function$;
comment on function tenure_private.newest_head(int) is 'The head that counts for a track; NULL where none was set yet.';
revoke all on function tenure_private.newest_head(int) from public;

-- sql/functions/private/newest_hold.sql
create or replace function tenure_private.newest_hold(p_quota_id int)
returns tenure_private.quota_hold
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_hold tenure_private.quota_hold;
begin
    select h.* into v_hold
    from tenure_private.quota_hold as h
    where h.quota_id = p_quota_id
    order by h.seq desc
    limit 1;
    return v_hold;
end
$function$;
comment on function tenure_private.newest_hold(int) is 'The row that counts for a quota; NULLs where nothing was ever claimed under it.';
revoke all on function tenure_private.newest_hold(int) from public;

-- sql/functions/private/next_alarm.sql
create or replace function tenure_private.next_alarm(
    p_now timestamptz,
    p_state text,
    p_lease_expiry timestamptz,
    p_on_timeout text,
    p_started_at timestamptz,
    p_timeout interval,
    p_progress_at timestamptz,
    p_progress_timeout interval,
    p_deadline_at timestamptz,
    p_start_by timestamptz,
    p_due_at timestamptz
)
returns timestamptz
language sql stable parallel safe
as $function$
-- Unpinned and plain, so that the planner inlines it. NULLs are passed over by least(). Never in the past: the
-- sweep's floor relies on no alarm being set behind it.
select nullif(greatest(p_now, coalesce(
    case p_state
        when 'running' then least(
            p_deadline_at,
            p_lease_expiry,
            case when p_on_timeout = 'abandon' then
                least(p_started_at + p_timeout, greatest(p_started_at, p_progress_at) + p_progress_timeout)
            end
        )
        when 'available' then least(p_deadline_at, p_start_by)
        when 'waiting_timer' then least(p_deadline_at, p_due_at)
        when 'waiting_signal' then least(p_deadline_at, p_due_at)
        when 'pending' then least(p_deadline_at, p_due_at)
        when 'waiting_steps' then least(p_deadline_at, p_started_at + p_timeout)
    end,
    'infinity'
)), 'infinity');
$function$;
comment on function tenure_private.next_alarm(
    timestamptz, text, timestamptz, text, timestamptz, interval, timestamptz, interval, timestamptz, timestamptz, timestamptz
) is 'When the sweep must next look at a step in this state; NULL: never.';
revoke all on function tenure_private.next_alarm(
    timestamptz,
    text,
    timestamptz,
    text,
    timestamptz,
    interval,
    timestamptz,
    interval,
    timestamptz,
    timestamptz,
    timestamptz
) from public;

-- sql/functions/private/next_due_in.sql
create or replace function tenure_private.next_due_in(p_floor timestamptz)
returns interval
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_now constant timestamptz = tenure_private.clock();
    v_next timestamptz;
begin
    select s.alarm_at into v_next
    from tenure_private.step as s
    where s.alarm_at >= p_floor
    order by s.alarm_at
    limit 1;
    -- What is due and was passed over is locked: it is worth another look, but not at once.
    return case when v_next is not null then greatest(v_next - v_now, interval '100 milliseconds') end;
end
$function$;
comment on function tenure_private.next_due_in(timestamptz) is 'How long until the next alarm, at least 100 ms; NULL: there is none.';
revoke all on function tenure_private.next_due_in(timestamptz) from public;

-- sql/functions/private/next_in_layers.sql
create or replace function tenure_private.next_in_layers(p_step_id bigint, p_now timestamptz, p_delay interval)
returns timestamptz
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- The nearest retry that has attempts left takes it, unless a timeout around it has passed: then one farther out.
-- What is inside that retry begins anew, and is entered when the attempt is due.
-- The caller holds the step, and lands the outcome.
declare
    v_retry tenure_private.layer;
    v_due_at timestamptz;
begin
    select l.* into v_retry
    from tenure_private.layer as l
    where l.step_id = p_step_id and l.begun < l.attempts and not exists (
        select
        from tenure_private.layer as o
        where o.step_id = p_step_id and o.position < l.position and o.entered_at + o.span <= p_now
    )
    order by l.position desc
    limit 1;
    if v_retry.step_id is null then
        return null;
    end if;
    v_due_at := p_now + coalesce(p_delay, tenure_private.backoff(v_retry.backoff, v_retry.begun, random()));
    update tenure_private.layer as l
    set begun = case when l.kind = 'retry' then 1 end,
        entered_at = case when l.entered_at is not null then v_due_at end
    where l.step_id = p_step_id and l.position > v_retry.position;
    update tenure_private.layer as l
    set begun = l.begun + 1
    where l.step_id = p_step_id and l.position = v_retry.position;
    perform tenure_private.set_limits(array[p_step_id]);
    return v_due_at;
end
$function$;
comment on function tenure_private.next_in_layers(bigint, timestamptz, interval) is
'Consumes an attempt of a step with layers and returns when the next is due; NULL: there is none. p_delay: asked for by the handler, NULL: the layer''s.';
revoke all on function tenure_private.next_in_layers(bigint, timestamptz, interval) from public;

-- sql/functions/private/node_policy.sql
create or replace function tenure_private.node_policy(
    p_node tenure_private.node, p_role text, p_inherited jsonb, p_definition tenure_private.definition
)
returns jsonb
language sql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $function$
select case p_role
    when 'leaf' then
        case when p_node.inherits then p_inherited else '[]' end
        || case when p_node.policy <> '[]' then p_node.policy else tenure_private.definition_policy(p_definition) end
    -- What a mount cuts off, it cuts off for what is inside.
    when 'mount' then p_inherited || p_node.policy
    -- A map's policy wraps each of its elements.
    else '[]'
end;
$function$;
comment on function tenure_private.node_policy(tenure_private.node, text, jsonb, tenure_private.definition) is
'The layers around a child made for a node, outermost first: those inherited, then its own, else those of its definition. p_role: leaf, mount or map.';
revoke all on function tenure_private.node_policy(
    tenure_private.node, text, jsonb, tenure_private.definition
) from public;

-- sql/functions/private/node_settings.sql
create or replace function tenure_private.node_settings(
    p_node tenure_private.node, p_role text, p_inherited jsonb, p_quota_ids int[], p_queue text, p_priority int
)
returns tenure_private.settings
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- Nothing is refused here: a fold may be the caller.
declare
    v_default tenure_private.definition;
    v_queue tenure_private.queue;
    v_policy tenure_private.settings;
    v_settings tenure_private.settings;
begin
    if p_role = 'leaf' then
        select d.* into v_default from tenure_private.definition as d where d.name = p_node.step;
    end if;
    v_queue := tenure_private.find_queue(coalesce(p_node.queue, v_default.queue, p_queue, 'default'));
    v_policy := tenure_private.policy_settings(tenure_private.node_policy(p_node, p_role, p_inherited, v_default));
    if p_role = 'leaf' then
        v_policy.timeout := tenure_private.bounded_timeout(v_queue, v_policy.timeout);
        v_settings := tenure_private.resolve(
            p_node.step, v_queue.name, coalesce(p_node.priority, v_default.priority, p_priority),
            v_policy.timeout, null, v_policy.max_attempts, v_policy.backoff, null, null, null, null, null,
            tenure_private.leaf_quotas(p_node, p_quota_ids, v_default)
        );
    else
        v_settings.queue_id := v_queue.queue_id;
        v_settings.track_id := tenure_private.find_track(
            v_queue.queue_id, coalesce(p_node.priority, p_priority, 0), p_node.name, null, null
        );
        v_settings.on_timeout := 'abandon';
        v_settings.max_attempts := 1;
    end if;
    return tenure_private.with_policy(v_settings, v_policy);
end
$function$;
comment on function tenure_private.node_settings(tenure_private.node, text, jsonb, int[], text, int) is
'The policy of a child made for a node. p_role: leaf, mount or map (the group, whose elements are leaves or mounts); p_inherited: the layers around it; p_quota_ids: the quotas around it; p_queue, p_priority: those of its group, where neither node nor definition says any.';
revoke all on function tenure_private.node_settings(tenure_private.node, text, jsonb, int[], text, int) from public;

-- sql/functions/private/note_behind.sql
create or replace function tenure_private.note_behind(p_track_id int, p_scheduled_at timestamptz)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- While the caller holds the track's lock shared nobody moves its head, sets a mark or folds its notes; and who does
-- so later sees what the caller has committed. So under the lock a head or a note at or before p_scheduled_at covers
-- it. Without the lock nothing is certain: a mark or a fold that is not seen yet may be about to commit.
-- Locks: the track's advisory lock shared, tried.
declare
    v_head tenure_private.head;
begin
    if current_setting('transaction_isolation') = 'read committed'
        and pg_try_advisory_xact_lock_shared(tenure_private.head_lock(), p_track_id)
    then
        v_head := tenure_private.newest_head(p_track_id);
        if p_scheduled_at >= v_head.head is not false or exists (
            select from tenure_private.behind as b where b.track_id = p_track_id and b.scheduled_at <= p_scheduled_at
        ) then
            return;
        end if;
    end if;
    insert into tenure_private.behind (track_id, scheduled_at) values (p_track_id, p_scheduled_at);
end
$function$;
comment on function tenure_private.note_behind(int, timestamptz) is
'Says that a step is becoming available at an instant that its track''s head may have passed. Needed for every scheduled_at before the caller''s clock.';
revoke all on function tenure_private.note_behind(int, timestamptz) from public;

-- sql/functions/private/note_ends.sql
create or replace function tenure_private.note_ends(p_step_ids bigint[])
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- Locks: the run's row, as folds do: tried. The caller has the run's lock, shared or exclusively.
declare
    v_state text;
    r_run record;
begin
    for r_run in
        select s.root_id, array_agg(s.step_id order by s.step_id) as step_ids
        from tenure_private.step as s
        where s.step_id = any(p_step_ids) and s.finished_at is not null
            -- What the children of a plain job come to concerns nobody, so that they do not get in its way either.
            and (
                (s.parent_id is null and s.tree)
                -- As a value: of an EXISTS beside an OR the planner may read the whole table.
                or (select g.step_id from tenure_private.step_group as g where g.step_id = s.parent_id) is not null
            )
        group by s.root_id
        order by s.root_id
    loop
        select r.state into v_state
        from tenure_private.step as r where r.step_id = r_run.root_id for no key update skip locked;
        if v_state is null or v_state = 'paused' then
            -- While the run's lock is shared nobody pauses or resumes it.
            insert into tenure_private.event (run_id, step_ids, held)
            select r_run.root_id, r_run.step_ids, r.state = 'paused'
            from tenure_private.step as r where r.step_id = r_run.root_id;
        else
            perform tenure_private.fold_run(r_run.root_id, r_run.step_ids);
        end if;
    end loop;
end
$function$;
comment on function tenure_private.note_ends(bigint[]) is
'For steps that may just have ended: what follows for their groups happens now, if nobody else is at it and the run is not paused; else it is noted for the next fold.';
revoke all on function tenure_private.note_ends(bigint[]) from public;

-- sql/functions/private/notify_owners.sql
create or replace function tenure_private.notify_owners(p_step_ids bigint[])
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    perform pg_notify(w.channel, 'beat')
    from (
        select distinct w.channel
        from tenure_private.step as s
        join tenure_private.worker as w on w.owner = s.lease_owner
        where s.step_id = any(p_step_ids) and s.state = 'running' and w.expires_at > tenure_private.clock()
    ) as w;
end
$function$;
comment on function tenure_private.notify_owners(bigint[]) is
'Asks the workers that run these steps, and are known to listen, for a heartbeat now: its answer tells them. Called before the steps move.';
revoke all on function tenure_private.notify_owners(bigint[]) from public;

-- sql/functions/private/open_groups.sql
create or replace function tenure_private.open_groups(p_group_ids bigint[], p_now timestamptz)
returns bigint[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_mergejoin = off
set enable_hashjoin = off
as $function$
-- Mounts of one workflow under the same policy are opened together: a map may have ten thousand.
declare
    v_ended bigint [] := tenure_private.refuse_elements(p_group_ids, p_now);
    v_group_ids constant bigint [] = array(
        select u.step_id from unnest(p_group_ids) as u (step_id) where u.step_id <> all(v_ended)
    );
    r_alike record;
begin
    if v_group_ids = '{}' then
        return v_ended;
    end if;
    perform tenure_private.begin_attempt(v_group_ids, p_now);
    for r_alike in
        select
            g.workflow_id, g.inherited, g.quota_ids, q.name as queue, t.priority,
            array_agg(s.step_id order by s.step_id) as group_ids
        from tenure_private.step as s
        join tenure_private.step_group as g on g.step_id = s.step_id
        join tenure_private.track as t on t.track_id = s.track_id
        join tenure_private.queue as q on q.queue_id = t.queue_id
        where s.step_id = any(v_group_ids) and g.workflow_id is not null
        group by 1, 2, 3, 4, 5
        order by 6
    loop
        v_ended := v_ended || tenure_private.open_workflows(
            r_alike.group_ids, r_alike.workflow_id, r_alike.inherited, r_alike.quota_ids,
            r_alike.queue, r_alike.priority, p_now
        );
    end loop;
    for r_alike in
        select s.step_id
        from tenure_private.step_group as s
        where s.step_id = any(v_group_ids) and s.maps
        order by s.step_id
    loop
        v_ended := v_ended || tenure_private.open_map(r_alike.step_id, p_now);
    end loop;
    return v_ended;
end
$function$;
comment on function tenure_private.open_groups(bigint[], timestamptz) is
'Begins the present attempt of these groups: makes their children. Returns the steps that ended by it, for their groups to be told.';
revoke all on function tenure_private.open_groups(bigint[], timestamptz) from public;

-- sql/functions/private/open_map.sql
create or replace function tenure_private.open_map(p_group_id bigint, p_now timestamptz)
returns bigint[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_step tenure_private.step;
    v_group tenure_private.step_group;
    v_node tenure_private.node;
    v_role text;
    v_elements jsonb;
    v_count int;
    v_children bigint [];
begin
    select s.* into strict v_step from tenure_private.step as s where s.step_id = p_group_id;
    select g.* into strict v_group from tenure_private.step_group as g where g.step_id = p_group_id;
    select n.* into strict v_node from tenure_private.node as n where n.node_id = v_step.node_id;
    v_elements := tenure_private.key_values(
        v_step.parent_id, v_step.group_attempt, array[v_node.map_key]
    ) -> v_node.map_key;
    if jsonb_typeof(v_elements) <> 'array' or jsonb_array_length(v_elements) > 10000 then
        return tenure_private.refuse_map(v_step, v_node.map_key, v_elements, p_now);
    end if;
    v_count := jsonb_array_length(v_elements);
    if v_count = 0 then
        return tenure_private.conclude(array[p_group_id], p_now);
    end if;
    v_role := case when v_node.workflow is not null then 'mount' else 'leaf' end;
    v_children := tenure_private.insert_children(
        array_fill(p_group_id, array[v_count]),
        array(select e.item from jsonb_array_elements(v_elements) with ordinality as e (item, n) order by e.n),
        array(select g.n from generate_series(0, v_count - 1) as g (n)), v_node, v_role,
        tenure_private.node_settings(
            v_node, v_role, v_group.inherited, v_group.quota_ids, tenure_private.queue_name(v_step.track_id),
            (select t.priority from tenure_private.track as t where t.track_id = v_step.track_id)
        ),
        p_now
    );
    update tenure_private.step_group as g set open = v_count where g.step_id = p_group_id;
    if v_role = 'mount' then
        return tenure_private.open_groups(v_children, p_now);
    end if;
    return array[]::bigint [];
end
$function$;
comment on function tenure_private.open_map(bigint, timestamptz) is 'open_groups() for a map: a child for each element of its key.';
revoke all on function tenure_private.open_map(bigint, timestamptz) from public;

-- sql/functions/private/open_tracks.sql
create or replace function tenure_private.open_tracks(p_queues text[], p_names text[], p_now timestamptz)
returns tenure_private.open_track[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- Locks: quotas, see within_quotas().
declare
    v_tracks tenure_private.open_track [];
    v_limited boolean;
begin
    if array_ndims(p_queues) > 1 then
        perform tenure_private.refuse(
            'argument_invalid', 'queues is no plain array', format('It has %s dimensions.', array_ndims(p_queues)),
            'Give an array of names.'
        );
    elsif p_queues is null or array_position(p_queues, null) is not null then
        perform tenure_private.check_name(null, 'queue');
    end if;
    -- In the usual case, known queues and no grants, nothing is called.
    perform tenure_private.check_queue((tenure_private.find_queue(u.name)).queue_id, u.name)
    from unnest(p_queues) as u (name)
    where not exists (select from tenure_private.queue as q where q.name = u.name)
        or exists (select from tenure_private.queue_grant as g);
    -- A head in the future is one that was set before the clock was set back.
    select
        array_agg(row(
            t.track_id, t.priority,
            case when h.head <= p_now then least(h.head, b.scheduled_at) else '-infinity' end, h.mark_at, t.name,
            q.name
        )::tenure_private.open_track),
        bool_or(t.quota_ids is not null)
    into strict v_tracks, v_limited
    from tenure_private.queue as q
    -- Each name is looked up in the index: one that is not asked for costs nothing.
    cross join lateral (
        select t.track_id, t.priority, t.name, t.quota_ids
        from (select distinct u.name from unnest(p_names) as u (name)) as n
        join tenure_private.track as t on t.queue_id = q.queue_id and t.name = n.name
        union all
        select t.track_id, t.priority, t.name, t.quota_ids
        from tenure_private.track as t
        where p_names is null and t.queue_id = q.queue_id
    ) as t
    left join lateral (
        select h.head, h.mark_at
        from tenure_private.head as h
        where h.track_id = t.track_id
        order by h.seq desc
        limit 1
    ) as h on true
    left join (
        select b.track_id, min(b.scheduled_at) as scheduled_at from tenure_private.behind as b group by b.track_id
    ) as b on b.track_id = t.track_id
    where q.name = any(p_queues) and q.paused_at is null;
    if v_limited then
        return tenure_private.within_quotas(v_tracks, p_now);
    end if;
    return v_tracks;
end
$function$;
comment on function tenure_private.open_tracks(text[], text[], timestamptz) is
'The tracks of these names in these queues, without those of paused queues and those whose quotas have no room; refuses an unknown queue (TN003) and one that the caller may not use (TN018).';
revoke all on function tenure_private.open_tracks(text[], text[], timestamptz) from public;

-- sql/functions/private/open_workflows.sql
create or replace function tenure_private.open_workflows(
    p_group_ids bigint[],
    p_workflow_id int,
    p_inherited jsonb,
    p_quota_ids int[],
    p_queue text,
    p_priority int,
    p_now timestamptz
)
returns bigint[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_node tenure_private.node;
    v_role text;
    v_children bigint [] := array[]::bigint [];
    v_count int := 0;
begin
    for v_node in select n.* from tenure_private.node as n where n.workflow_id = p_workflow_id order by n.node_id loop
        v_role := case
            when v_node.map_key is not null then 'map'
            when v_node.workflow is not null then 'mount'
            else 'leaf'
        end;
        v_children := v_children || tenure_private.insert_children(
            p_group_ids, null, null, v_node, v_role,
            tenure_private.node_settings(v_node, v_role, p_inherited, p_quota_ids, p_queue, p_priority), p_now
        );
        v_count := v_count + 1;
    end loop;
    update tenure_private.step_group as g set open = v_count where g.step_id = any(p_group_ids);
    return tenure_private.advance(v_children, p_now);
end
$function$;
comment on function tenure_private.open_workflows(bigint[], int, jsonb, int[], text, int, timestamptz) is
'open_groups() for runs or mounts of one workflow under the same policy.';
revoke all on function tenure_private.open_workflows(bigint[], int, jsonb, int[], text, int, timestamptz) from public;

-- sql/functions/private/output_conflict.sql
create or replace function tenure_private.output_conflict(p_step tenure_private.step)
returns jsonb
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
as $function$
begin
    return jsonb_build_object(
        'type', 'OutputConflict', 'kind', 'output_conflict',
        'message', 'a key that it would publish is there already', 'step', tenure_private.step_name(p_step.track_id)
    );
end
$function$;
comment on function tenure_private.output_conflict(tenure_private.step) is 'The error document of a step whose outputs cannot be published.';
revoke all on function tenure_private.output_conflict(tenure_private.step) from public;

-- sql/functions/private/output_keys.sql
create or replace function tenure_private.output_keys(p_workflow_id int)
returns text[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- volatile: define_workflow() asks for what it has just written.
declare
    v_keys text [];
begin
    select coalesce(w.outputs, array(
        select k.key
        from tenure_private.node as n
        cross join unnest(n.provides) as k (key)
        where n.workflow_id = w.workflow_id
        order by k.key
    ))
    into strict v_keys
    from tenure_private.workflow as w
    where w.workflow_id = p_workflow_id;
    return v_keys;
end
$function$;
comment on function tenure_private.output_keys(int) is 'The keys that a run of this version of a workflow gives out: its outputs, else all that its nodes provide.';
revoke all on function tenure_private.output_keys(int) from public;

-- sql/functions/private/oversized.sql
create or replace function tenure_private.oversized(p_step tenure_private.step, p_what text)
returns jsonb
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
as $function$
begin
    return jsonb_build_object(
        'type', 'TooLarge', 'kind', 'permanent', 'message', format('%s take more than 200 MB together', p_what),
        'step', tenure_private.step_name(p_step.track_id)
    );
end
$function$;
comment on function tenure_private.oversized(tenure_private.step, text) is
'The error document of a step for which documents would have to be put together that are too large for it.';
revoke all on function tenure_private.oversized(tenure_private.step, text) from public;

-- sql/functions/private/parse_condition.sql
create or replace function tenure_private.parse_condition(p_text text)
returns jsonpath
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_condition jsonpath;
begin
    v_condition := p_text::jsonpath;
    -- Written out anew, keys and strings emptied, a variable alone has quotes right after its $.
    if regexp_replace(v_condition::text, '"(\\.|[^"\\])*"', '""', 'g') like '%$""%' then
        perform tenure_private.refuse(
            'argument_invalid', 'when has a variable',
            left(p_text, 200), 'Name a key by $.key; nothing else has a value.'
        );
    end if;
    return v_condition;
exception when syntax_error or data_exception or feature_not_supported then
    perform tenure_private.refuse(
        'argument_invalid', 'when is no jsonpath', format('%s: %s', left(p_text, 200), sqlerrm),
        'Write a predicate over the keys, such as $.url starts with "https".'
    );
    return null;
end
$function$;
comment on function tenure_private.parse_condition(text) is 'A when of a node; NULL stays NULL. Refuses (TN007) what is no jsonpath, and variables, for there are none.';
revoke all on function tenure_private.parse_condition(text) from public;

-- sql/functions/private/parse_layer.sql
create or replace function tenure_private.parse_layer(p_layer jsonb)
returns jsonb
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_retry constant jsonb = p_layer -> 'retry';
    v_backoff jsonb;
    v_problem text;
begin
    v_problem := case
        when jsonb_typeof(p_layer) <> 'object' then 'It is no object.'
        when not p_layer ? 'timeout' and not p_layer ? 'retry' then 'It is neither a timeout nor a retry.'
        when p_layer - 'timeout' <> '{}' and p_layer - 'retry' <> '{}' then 'It has further members.'
        when v_retry is null then null
        when jsonb_typeof(v_retry) <> 'object' then 'retry is no object.'
        when v_retry - array['attempts', 'delay', 'backoff'] <> '{}' then 'retry has an unknown member.'
        when v_retry ? 'delay' and v_retry ? 'backoff' then 'retry has a delay and a backoff.'
        when jsonb_typeof(v_retry -> 'attempts') is distinct from 'number' then 'attempts is no number.'
        when (v_retry ->> 'attempts')::numeric % 1 <> 0 then 'attempts is no whole number.'
        when (v_retry ->> 'attempts')::numeric > 2147483647 then 'attempts is out of range.'
    end;
    if v_problem is not null then
        perform tenure_private.refuse(
            'argument_invalid', 'a policy has a malformed layer',
            format('%s Given: %s.', v_problem, left(p_layer::text, 200)),
            'Give {"timeout": "2 s"} or {"retry": {"attempts": 3, "delay": "100 ms"}}; instead of delay, backoff as of tenure.enqueue.'
        );
    elsif v_retry is null then
        return jsonb_build_object('timeout', tenure_private.parse_seconds(p_layer -> 'timeout', 'timeout'));
    elsif v_retry ? 'backoff' then
        v_backoff := v_retry -> 'backoff';
        perform tenure_private.check_backoff(v_backoff);
    else
        v_backoff := jsonb_build_object(
            'kind', 'fixed',
            'base', tenure_private.parse_seconds(coalesce(v_retry -> 'delay', '0'), 'delay'),
            'jitter', 0
        );
    end if;
    return jsonb_build_object('retry', jsonb_build_object(
        'attempts', greatest((v_retry ->> 'attempts')::numeric, 1)::int, 'backoff', v_backoff
    ));
end
$function$;
comment on function tenure_private.parse_layer(jsonb) is
'A layer in its normal form: {"timeout": seconds} or {"retry": {"attempts", "backoff"}}, at least one attempt and without a delay none.';
revoke all on function tenure_private.parse_layer(jsonb) from public;

-- sql/functions/private/parse_node.sql
create or replace function tenure_private.parse_node(p_node jsonb)
returns tenure_private.node
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_node tenure_private.node;
begin
    perform tenure_private.check_members(
        p_node,
        array[
            'name', 'step', 'workflow', 'map', 'requires', 'optional', 'provides', 'policy', 'inherit', 'queue',
            'priority', 'quota', 'when'
        ],
        'a node'
    );
    v_node.name := tenure_private.text_member(p_node, 'name');
    perform tenure_private.check_name(v_node.name, 'name');
    v_node.step := coalesce(tenure_private.text_member(p_node, 'step'), v_node.name);
    v_node.workflow := tenure_private.text_member(p_node, 'workflow');
    v_node.map_key := tenure_private.text_member(p_node, 'map');
    v_node.requires := coalesce(tenure_private.names_member(p_node, 'requires'), '{}');
    v_node.optional := coalesce(tenure_private.names_member(p_node, 'optional'), '{}');
    v_node.provides := coalesce(tenure_private.names_member(p_node, 'provides'), '{}');
    v_node.policy := tenure_private.parse_policy(coalesce(nullif(p_node -> 'policy', 'null'), '[]'));
    v_node.queue := tenure_private.text_member(p_node, 'queue');
    v_node.quota := tenure_private.text_member(p_node, 'quota');
    v_node.priority := tenure_private.parse_priority(nullif(p_node -> 'priority', 'null'));
    v_node.condition := tenure_private.parse_condition(tenure_private.text_member(p_node, 'when'));
    v_node.inherits := coalesce(nullif(p_node -> 'inherit', 'null'), 'true') <> 'false';
    if v_node.queue is not null then
        perform tenure_private.check_queue((tenure_private.find_queue(v_node.queue)).queue_id, v_node.queue);
    end if;
    if v_node.quota is not null then
        perform tenure_private.check_units(tenure_private.find_quota(v_node.quota), coalesce(
            (
                select d.quota_units from tenure_private.definition as d
                where d.name = v_node.step and v_node.workflow is null
            ), 1
        ));
    end if;
    perform tenure_private.check_node(v_node, p_node);
    return v_node;
end
$function$;
comment on function tenure_private.parse_node(jsonb) is
'A node of a definition as a row without its ids. Refuses what is malformed, an unknown queue (TN003), one that is not the caller''s (TN018), an unknown quota (TN015) and units that it will never have (TN007).';
revoke all on function tenure_private.parse_node(jsonb) from public;

-- sql/functions/private/parse_policy.sql
create or replace function tenure_private.parse_policy(p_policy jsonb)
returns jsonb
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    if jsonb_typeof(p_policy) <> 'array' then
        perform tenure_private.refuse(
            'argument_invalid', 'policy is no array', format('Given: %s.', left(p_policy::text, 200)),
            'Give an array of layers, outermost first, such as [{"timeout": "2 s"}, {"retry": {"attempts": 3}}].'
        );
    end if;
    return (
        select coalesce(jsonb_agg(tenure_private.parse_layer(e.layer) order by e.n), '[]')
        from jsonb_array_elements(p_policy) with ordinality as e (layer, n)
    );
end
$function$;
comment on function tenure_private.parse_policy(jsonb) is
'A policy in its normal form, an array of what parse_layer() returns. Refuses (TN006, TN007) what is no list of timeout and retry layers.';
revoke all on function tenure_private.parse_policy(jsonb) from public;

-- sql/functions/private/parse_priority.sql
create or replace function tenure_private.parse_priority(p_value jsonb)
returns int
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    if p_value is null then
        return null;
    elsif jsonb_typeof(p_value) <> 'number' or p_value::numeric not between -100 and 100
        or p_value::numeric <> trunc(p_value::numeric)
    then
        perform tenure_private.refuse(
            'argument_invalid', 'priority is out of range', format('Given: %s.', left(p_value::text, 200)),
            'Give -100 (first) to 100 (last).'
        );
    end if;
    return p_value::int;
end
$function$;
comment on function tenure_private.parse_priority(jsonb) is 'A priority in JSON; NULL stays NULL. Refuses (TN007) what is none.';
revoke all on function tenure_private.parse_priority(jsonb) from public;

-- sql/functions/private/parse_seconds.sql
create or replace function tenure_private.parse_seconds(p_duration jsonb, p_name text)
returns numeric
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_duration interval;
begin
    if jsonb_typeof(p_duration) not in ('string', 'number') then
        perform tenure_private.refuse(
            'argument_invalid', 'a policy has a duration of the wrong type',
            format('%s: %s.', p_name, left(p_duration::text, 200)),
            'Give it as text such as "2 s", or as a number of seconds.'
        );
    end if;
    begin
        v_duration := (
            (p_duration #>> '{}') || case jsonb_typeof(p_duration) when 'number' then ' seconds' else '' end
        )::interval;
    exception when data_exception then
        perform tenure_private.refuse(
            'argument_invalid', 'a policy has a duration that cannot be read',
            format('%s: %s.', p_name, left(p_duration::text, 200)),
            'Give it as text such as "2 s", or as a number of seconds.'
        );
    end;
    return extract(epoch from tenure_private.duration(v_duration, p_name));
end
$function$;
comment on function tenure_private.parse_seconds(jsonb, text) is
'A duration of a policy, text or a number of seconds, as seconds. Refuses (TN006, TN007) what is none.';
revoke all on function tenure_private.parse_seconds(jsonb, text) from public;

-- sql/functions/private/pass_limit.sql
create or replace function tenure_private.pass_limit(
    p_step tenure_private.step, p_now timestamptz, p_kind text, p_verdict text, p_cause jsonb
)
returns tenure_private.outcome
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_error constant jsonb = tenure_private.passed_error(p_step, p_now, p_kind, p_cause);
    v_outcome tenure_private.outcome;
begin
    if p_kind in ('timeout', 'progress')
        or (p_kind = 'deadline' and p_step.parent_id is not null and tenure_private.has_layers(p_step.step_id))
    then
        v_outcome := tenure_private.consume_attempt(p_step, p_now, p_verdict, p_kind, v_error, null);
    else
        v_outcome := tenure_private.discard(p_step, p_verdict, p_kind, v_error);
    end if;
    if p_verdict is null then
        v_outcome.verdict := case
            when v_outcome.state <> 'discarded' then 'timed_out'
            when p_kind in ('timeout', 'progress') then 'timed_out discarded'
            else 'discarded'
        end;
    end if;
    return v_outcome;
end
$function$;
comment on function tenure_private.pass_limit(tenure_private.step, timestamptz, text, text, jsonb) is
'The outcome of a passed limit, as passed_kind() calls it, whoever noticed it: timeout, progress and a deadline that is a layer consume the attempt; deadline, start_within and reclaim_limit discard. p_verdict: what its worker is told, NULL: the sweep noticed it, and counts timed_out, discarded or both. p_cause: the error that its worker reports, if it does.';
revoke all on function tenure_private.pass_limit(tenure_private.step, timestamptz, text, text, jsonb) from public;

-- sql/functions/private/pass_over.sql
create or replace function tenure_private.pass_over(p_step_ids bigint[], p_reason text, p_now timestamptz)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_outcome tenure_private.outcome;
begin
    if p_step_ids <> '{}' then
        v_outcome.verdict := 'skipped';
        v_outcome.state := 'skipped';
        v_outcome.reason := p_reason;
        perform tenure_private.land(p_step_ids, null, v_outcome, p_now, null, null);
    end if;
end
$function$;
comment on function tenure_private.pass_over(bigint[], text, timestamptz) is 'Skips pending children.';
revoke all on function tenure_private.pass_over(bigint[], text, timestamptz) from public;

-- sql/functions/private/passed_error.sql
create or replace function tenure_private.passed_error(
    p_step tenure_private.step, p_now timestamptz, p_kind text, p_cause jsonb
)
returns jsonb
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_step tenure_private.step := p_step;
    v_layer tenure_private.layer;
    v_error jsonb;
begin
    if p_kind in ('timeout', 'deadline') and p_step.parent_id is not null then
        v_layer := tenure_private.passed_layer(p_step.step_id, p_now);
        v_step.timeout := coalesce(v_layer.span, p_step.timeout);
        v_step.deadline := v_layer.span;
    end if;
    v_error := tenure_private.limit_error(v_step, tenure_private.step_name(p_step.track_id), p_kind, p_cause);
    if v_layer.step_id is not null then
        v_error := v_error || jsonb_build_object('position', v_layer.position);
    end if;
    return v_error;
end
$function$;
comment on function tenure_private.passed_error(tenure_private.step, timestamptz, text, jsonb) is
'limit_error() of a limit that has just passed. Where it was a layer of a deeper policy the document has its "position" too, 1 for the outermost.';
revoke all on function tenure_private.passed_error(tenure_private.step, timestamptz, text, jsonb) from public;

-- sql/functions/private/passed_kind.sql
create or replace function tenure_private.passed_kind(p_step tenure_private.step, p_now timestamptz)
returns text
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    if p_step.deadline is not null then
        return 'deadline';
    end if;
    return coalesce((tenure_private.passed_layer(p_step.step_id, p_now)).kind, 'deadline');
end
$function$;
comment on function tenure_private.passed_kind(tenure_private.step, timestamptz) is
'What it is that has passed where deadline_at has: a deadline, or a layer of a deeper policy, which is a timeout as a rule.';
revoke all on function tenure_private.passed_kind(tenure_private.step, timestamptz) from public;

-- sql/functions/private/passed_layer.sql
create or replace function tenure_private.passed_layer(p_step_id bigint, p_now timestamptz)
returns tenure_private.layer
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_layer tenure_private.layer;
begin
    select l.* into v_layer
    from tenure_private.layer as l
    where l.step_id = p_step_id and l.entered_at + l.span <= p_now
    order by l.position
    limit 1;
    return v_layer;
end
$function$;
comment on function tenure_private.passed_layer(bigint, timestamptz) is
'The outermost of a step''s layers that has passed, of those that count from where they were entered; NULLs: none.';
revoke all on function tenure_private.passed_layer(bigint, timestamptz) from public;

-- sql/functions/private/pending_in.sql
create or replace function tenure_private.pending_in(p_group_ids bigint[])
returns bigint[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- volatile: asked in the middle of a fold, it must see what that has just written.
-- By arrays of ids, as end_overdue().
declare
    v_member_ids constant bigint [] = array(
        select m.step_id from tenure_private.member as m where m.group_id = any(p_group_ids)
    );
begin
    return array(
        select s.step_id
        from tenure_private.step as s
        where s.step_id = any(v_member_ids) and s.state = 'pending'
        order by s.step_id
    );
end
$function$;
comment on function tenure_private.pending_in(bigint[]) is 'The pending children of these groups.';
revoke all on function tenure_private.pending_in(bigint[]) from public;

-- sql/functions/private/pick.sql
create or replace function tenure_private.pick(p_tracks tenure_private.open_track[], p_room int, p_now timestamptz)
returns tenure_private.picked
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- volatile: it locks what it reads.
-- The one way in which steps are chosen. Lane by lane in order of priority; the tracks of a lane are merged by
-- first sharing out how many each is to give, then locking that many of each. Only where another claimer has some
-- of them does a round come back short: then the tracks that gave all they were asked for are asked again.
declare
    -- Where there are no quotas that is all that is asked.
    v_limited constant boolean = exists (select from tenure_private.quota as q) and exists (
        select
        from unnest(p_tracks) as t
        join tenure_private.track as k on k.track_id = t.track_id
        where k.quota_ids is not null
    );
    v_picked tenure_private.picked;
    v_lane tenure_private.open_track [];
    v_shares tenure_private.share [];
    v_step_ids bigint [];
    v_track_ids int [];
    v_room int;
    r_lane record;
begin
    v_picked.step_ids := '{}';
    v_picked.track_ids := '{}';
    for r_lane in
        select array_agg(t) as tracks from unnest(p_tracks) as t group by t.priority order by t.priority
    loop
        v_lane := r_lane.tracks;
        loop
            v_room := p_room - cardinality(v_picked.step_ids);
            exit when v_room = 0 or v_lane is null;
            if v_limited then
                v_shares := tenure_private.ration(v_lane, v_picked, v_room, p_now);
            else
                v_shares := tenure_private.share_out(v_lane, v_picked.step_ids, v_room, p_now);
            end if;
            with locked as materialized (
                select w.track_id, s.step_id
                from unnest(v_shares) as w
                cross join lateral (
                    select s.step_id
                    from tenure_private.step as s
                    where s.track_id = w.track_id and s.state = 'available' and s.scheduled_at >= w.head
                        and s.scheduled_at <= p_now
                        and tenure_private.in_time(p_now, least(s.deadline_at, s.group_limit_at), s.start_by)
                        and s.step_id <> all(v_picked.step_ids)
                    order by s.scheduled_at, s.step_id
                    limit w.wanted
                    for no key update skip locked
                ) as s
            )
            select array_agg(l.step_id), array_agg(l.track_id) into strict v_step_ids, v_track_ids from locked as l;
            v_picked.step_ids := v_picked.step_ids || v_step_ids;
            v_picked.track_ids := v_picked.track_ids || v_track_ids;
            exit when cardinality(v_lane) = 1 or v_shares is null;
            v_lane := tenure_private.ask_again(v_lane, v_shares, v_track_ids);
        end loop;
    end loop;
    if v_limited then
        perform tenure_private.hold_units(v_picked);
    end if;
    return v_picked;
end
$function$;
comment on function tenure_private.pick(tenure_private.open_track[], int, timestamptz) is
'Locks up to p_room due steps of these tracks, by priority, then scheduled_at, then id, and returns them. Waits for nobody.';
revoke all on function tenure_private.pick(tenure_private.open_track[], int, timestamptz) from public;

-- sql/functions/private/policy_layers.sql
create or replace function tenure_private.policy_layers(p_policy jsonb)
returns setof tenure_private.layer
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $function$
-- The innermost timeout counts from the claim where a retry is directly around it: it is never entered.
begin
    return query
    select
        null::bigint, e.n::int, k.kind,
        case when k.kind <> 'retry' then ((e.layer ->> k.kind) || ' seconds')::interval end,
        (e.layer #>> '{retry, attempts}')::int, nullif(e.layer #> '{retry, backoff}', 'null'),
        case k.kind when 'retry' then 1 end,
        case
            when k.kind = 'timeout' and e.n > 1 and e.n = jsonb_array_length(p_policy)
                and p_policy -> -2 ? 'retry' then null
            when k.kind <> 'retry' then timestamptz '-infinity'
        end
    from jsonb_array_elements(p_policy) with ordinality as e (layer, n)
    cross join lateral (
        select
            case when e.layer ? 'retry' then 'retry' when e.layer ? 'timeout' then 'timeout' else 'deadline' end as kind
    ) as k
    order by e.n;
end
$function$;
comment on function tenure_private.policy_layers(jsonb) is
'The layers of a policy in its normal form, outermost first, before any step has entered them: those that count from where they are entered have -infinity there.';
revoke all on function tenure_private.policy_layers(jsonb) from public;

-- sql/functions/private/policy_settings.sql
create or replace function tenure_private.policy_settings(p_policy jsonb)
returns tenure_private.settings
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $function$
-- The everyday shape fits into the columns of a step: a deadline, a retry, a timeout of each attempt. All else is kept
-- as layers, of which the columns then tell the nearest limit and how many attempts there may be at most.
declare
    v_settings tenure_private.settings;
    v_outer text [];
    r_layer tenure_private.layer;
begin
    if p_policy = '[]' then
        return v_settings;
    end if;
    v_settings.max_attempts := 1;
    for r_layer in select l.* from tenure_private.policy_layers(p_policy) as l loop
        if r_layer.kind = 'retry' then
            v_settings.max_attempts := least(v_settings.max_attempts::bigint * r_layer.attempts, 2147483647)::int;
            v_settings.backoff := r_layer.backoff;
        elsif r_layer.entered_at is null then
            v_settings.timeout := r_layer.span;
            continue;
        else
            v_settings.bound := least(v_settings.bound, r_layer.span);
        end if;
        v_outer := v_outer || r_layer.kind;
    end loop;
    if v_outer in ('{retry}', '{deadline}', '{deadline, retry}') then
        v_settings.deadline := v_settings.bound;
        v_settings.bound := null;
    else
        v_settings.backoff := null;
        -- With one at least, an operator's retry has a counter to raise.
        v_settings.layers := p_policy || case
            when 'retry' = any(v_outer) then '[]' else jsonb '[{"retry": {"attempts": 1, "backoff": null}}]'
        end;
    end if;
    return v_settings;
end
$function$;
comment on function tenure_private.policy_settings(jsonb) is
'What a policy in its normal form means for the columns of a step: deadline, max_attempts, backoff and timeout where it has the everyday shape; else its layers, bound (the nearest limit, counted from where the step is made), max_attempts and timeout. NULLs for an empty policy.';
revoke all on function tenure_private.policy_settings(jsonb) from public;

-- sql/functions/private/preset.sql
create or replace function tenure_private.preset(p_name text)
returns tenure_private.queue
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_queue tenure_private.queue;
begin
    v_queue.retention := interval '168 hours';
    v_queue.discarded_retention := interval '720 hours';
    if p_name = 'delivery' then
        v_queue.timeout_default := interval '30 seconds';
        v_queue.timeout_floor := interval '100 milliseconds';
        v_queue.timeout_ceiling := interval '900 seconds';
    elsif p_name is not null then
        perform tenure_private.refuse(
            'argument_invalid', 'preset is unknown', format('Given: %s.', p_name), 'Give delivery, or none.'
        );
    end if;
    return v_queue;
end
$function$;
comment on function tenure_private.preset(text) is 'The settings that a new queue starts from.';
revoke all on function tenure_private.preset(text) from public;

-- sql/functions/private/publish.sql
create or replace function tenure_private.publish(p_step tenure_private.step, p_output jsonb, p_completes boolean)
returns boolean
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_node tenure_private.node;
    v_values jsonb;
begin
    if p_step.node_id is null or p_step.position is not null then
        return true;
    end if;
    select n.* into strict v_node from tenure_private.node as n where n.node_id = p_step.node_id;
    select jsonb_object_agg(s.key, s.value) into strict v_values
    from tenure_private.staged as s where s.step_id = p_step.step_id;
    if v_values is null and p_completes and cardinality(v_node.provides) = 1 then
        v_values := jsonb_build_object(v_node.provides[1], p_output);
    end if;
    if v_values is null then
        return true;
    end if;
    return tenure_private.publish_keys(p_step, v_values);
end
$function$;
comment on function tenure_private.publish(tenure_private.step, jsonb, boolean) is
'Publishes what a leaf has staged or, if it completes and staged nothing, its output under its one provided key. False: a key is there already, and nothing was published.';
revoke all on function tenure_private.publish(tenure_private.step, jsonb, boolean) from public;

-- sql/functions/private/publish_group.sql
create or replace function tenure_private.publish_group(
    p_step tenure_private.step, p_group tenure_private.step_group, p_output jsonb
)
returns boolean
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- A mount gives on, by name, those of its workflow's outputs that it provides. An element of a map publishes nothing:
-- its map gathers.
declare
    v_node tenure_private.node;
    v_values jsonb;
begin
    if p_step.node_id is null or p_step.position is not null then
        return true;
    end if;
    select n.* into strict v_node from tenure_private.node as n where n.node_id = p_step.node_id;
    if not p_group.maps then
        select coalesce(jsonb_object_agg(o.key, o.value), '{}') into strict v_values
        from jsonb_each(p_output) as o where o.key = any(v_node.provides);
    elsif v_node.provides <> '{}' then
        v_values := jsonb_build_object(v_node.provides[1], p_output);
    end if;
    if v_values is null then
        return true;
    end if;
    return tenure_private.publish_keys(p_step, v_values);
end
$function$;
comment on function tenure_private.publish_group(tenure_private.step, tenure_private.step_group, jsonb) is
'Publishes the keys of a mount or map whose children have ended. False: a key is there already, and nothing was published.';
revoke all on function tenure_private.publish_group(tenure_private.step, tenure_private.step_group, jsonb) from public;

-- sql/functions/private/publish_keys.sql
create or replace function tenure_private.publish_keys(p_step tenure_private.step, p_values jsonb)
returns boolean
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- No key has two producers, so there is nobody to race with: only the group's input can have it already.
begin
    if exists (
        select
        from jsonb_object_keys(p_values) as k (key)
        join tenure_private.step as g on g.step_id = p_step.parent_id
        where (jsonb_typeof(g.input) = 'object' and g.input ? k.key)
            or exists (
                select from tenure_private.published as p
                where p.group_id = g.step_id and p.attempt = p_step.group_attempt and p.key = k.key
            )
    ) then
        return false;
    end if;
    insert into tenure_private.published (group_id, attempt, key, value, step_id)
    select p_step.parent_id, p_step.group_attempt, v.key, v.value, p_step.step_id from jsonb_each(p_values) as v;
    return true;
end
$function$;
comment on function tenure_private.publish_keys(tenure_private.step, jsonb) is
'Publishes all of these keys among the siblings of a step; false: one of them is there already, and none was published.';
revoke all on function tenure_private.publish_keys(tenure_private.step, jsonb) from public;

-- sql/functions/private/purge_details.sql
create or replace function tenure_private.purge_details(p_run_ids bigint[], p_max_rows int)
returns int
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_left int := p_max_rows;
    v_count int;
begin
    v_left := v_left - tenure_private.purge_keys(p_run_ids, v_left);
    delete from tenure_private.attempt as d using (
        select a.step_id, a.generation from tenure_private.attempt as a where a.step_id = any(p_run_ids) limit v_left
    ) as g
    where d.step_id = g.step_id and d.generation = g.generation;
    get diagnostics v_count = row_count;
    v_left := v_left - v_count;
    delete from tenure_private.wait as d using (
        select w.step_id, w.key from tenure_private.wait as w where w.step_id = any(p_run_ids) limit v_left
    ) as g
    where d.step_id = g.step_id and d.key = g.key;
    get diagnostics v_count = row_count;
    v_left := v_left - v_count;
    delete from tenure_private.signal as d using (
        select s.run_id, s.signal, s.seq from tenure_private.signal as s where s.run_id = any(p_run_ids) limit v_left
    ) as g
    where d.run_id = g.run_id and d.signal = g.signal and d.seq = g.seq;
    get diagnostics v_count = row_count;
    v_left := v_left - v_count;
    delete from tenure_private.checkpoint as d using (
        select c.step_id, c.key from tenure_private.checkpoint as c where c.step_id = any(p_run_ids) limit v_left
    ) as g
    where d.step_id = g.step_id and d.key = g.key;
    get diagnostics v_count = row_count;
    return p_max_rows - v_left + v_count;
end
$function$;
comment on function tenure_private.purge_details(bigint[], int) is
'Removes at most p_max_rows rows that belong to these runs from the tables around step; returns how many.';
revoke all on function tenure_private.purge_details(bigint[], int) from public;

-- sql/functions/private/purge_groups.sql
create or replace function tenure_private.purge_groups(p_step_ids bigint[], p_max_rows int)
returns int
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_left int := p_max_rows;
    v_count int;
begin
    delete from tenure_private.published as d using (
        select p.group_id, p.attempt, p.key
        from tenure_private.published as p
        where p.group_id = any(p_step_ids)
        limit v_left
    ) as g
    where d.group_id = g.group_id and d.attempt = g.attempt and d.key = g.key;
    get diagnostics v_count = row_count;
    v_left := v_left - v_count;
    delete from tenure_private.staged as d using (
        select s.step_id, s.key from tenure_private.staged as s where s.step_id = any(p_step_ids) limit v_left
    ) as g
    where d.step_id = g.step_id and d.key = g.key;
    get diagnostics v_count = row_count;
    v_left := v_left - v_count;
    delete from tenure_private.event as d using (
        select e.run_id, e.seq from tenure_private.event as e where e.run_id = any(p_step_ids) limit v_left
    ) as g
    where d.run_id = g.run_id and d.seq = g.seq;
    get diagnostics v_count = row_count;
    v_left := v_left - v_count;
    delete from tenure_private.layer as d using (
        select l.step_id, l.position from tenure_private.layer as l where l.step_id = any(p_step_ids) limit v_left
    ) as g
    where d.step_id = g.step_id and d.position = g.position;
    get diagnostics v_count = row_count;
    v_left := v_left - v_count;
    delete from tenure_private.member as d using (
        select m.group_id, m.attempt, m.node_id, m.step_id
        from tenure_private.member as m where m.group_id = any(p_step_ids) limit v_left
    ) as g
    where d.group_id = g.group_id and d.attempt = g.attempt and d.node_id = g.node_id and d.step_id = g.step_id;
    get diagnostics v_count = row_count;
    v_left := v_left - v_count;
    delete from tenure_private.step_group as d using (
        select g.step_id from tenure_private.step_group as g where g.step_id = any(p_step_ids) limit v_left
    ) as g
    where d.step_id = g.step_id;
    get diagnostics v_count = row_count;
    return p_max_rows - v_left + v_count;
end
$function$;
comment on function tenure_private.purge_groups(bigint[], int) is
'Removes at most p_max_rows rows that belong to these steps from the tables of groups; returns how many.';
revoke all on function tenure_private.purge_groups(bigint[], int) from public;

-- sql/functions/private/purge_keys.sql
create or replace function tenure_private.purge_keys(p_step_ids bigint[], p_max_rows int)
returns int
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_count int;
begin
    delete from tenure_private.idempotency as d using (
        select i.kind, i.name, i.key
        from tenure_private.idempotency as i
        where i.step_id = any(p_step_ids)
        limit p_max_rows
    ) as g
    where d.kind = g.kind and d.name = g.name and d.key = g.key;
    get diagnostics v_count = row_count;
    return v_count;
end
$function$;
comment on function tenure_private.purge_keys(bigint[], int) is
'Removes at most p_max_rows idempotency keys of these steps, of which each has one at most; returns how many.';
revoke all on function tenure_private.purge_keys(bigint[], int) from public;

-- sql/functions/private/purge_runs.sql
create or replace function tenure_private.purge_runs(p_run_ids bigint[], p_max_rows int)
returns int
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- Locks: the runs, tried. What hangs on a run goes first and its row last; a run that is too large for one call is
-- marked, so that from now on nobody sees or retries it.
declare
    v_run_ids bigint [];
    v_detailed_ids bigint [];
    v_tree_ids bigint [];
    v_left int := p_max_rows;
    v_count int;
begin
    with locked as materialized (
        select s.step_id, s.tree
        from tenure_private.step as s
        where s.step_id = any(p_run_ids) and s.finished_at is not null
            and (not s.tree or not tenure_private.in_flight_below(s.step_id))
        order by s.step_id
        for update skip locked
    )
    select
        array_agg(l.step_id), array_agg(l.step_id) filter (where l.tree or tenure_private.has_details(l.step_id)),
        array_agg(l.step_id) filter (where l.tree)
    into strict v_run_ids, v_detailed_ids, v_tree_ids
    from locked as l;

    -- The keys before all else, and all of them (there are no more runs than rows): none may stand for a run that is
    -- hidden.
    v_left := v_left - tenure_private.purge_keys(v_run_ids, v_left);
    if v_tree_ids is not null then
        v_left := v_left - tenure_private.purge_trees(v_tree_ids, v_left);
    end if;
    v_left := v_left - tenure_private.purge_details(v_run_ids, v_left);
    with gone as materialized (
        select r.run_id
        from unnest(v_run_ids) as r (run_id)
        where not tenure_private.has_details(r.run_id)
            and (v_tree_ids is null or r.run_id <> all(v_tree_ids) or not tenure_private.has_tree(r.run_id))
        limit v_left
    )
    delete from tenure_private.step as s using gone as g where s.step_id = g.run_id;
    get diagnostics v_count = row_count;
    -- Whatever of these is still there may have lost something.
    update tenure_private.step as s set purging = true where s.step_id = any(v_detailed_ids) and not s.purging;
    return p_max_rows - v_left + v_count;
end
$function$;
comment on function tenure_private.purge_runs(bigint[], int) is
'Removes finished runs with everything that belongs to them, at most p_max_rows rows of all tables; returns how many rows went.';
revoke all on function tenure_private.purge_runs(bigint[], int) from public;

-- sql/functions/private/purge_trees.sql
create or replace function tenure_private.purge_trees(p_run_ids bigint[], p_max_rows int)
returns int
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- The caller holds the runs. Children with all that is theirs first, then what groups have.
declare
    v_left int := p_max_rows;
    v_step_ids constant bigint [] = array(
        select s.step_id
        from tenure_private.step as s
        where s.root_id = any(p_run_ids) and s.parent_id is not null
        limit p_max_rows
    );
    v_count int;
begin
    v_left := v_left - tenure_private.purge_details(v_step_ids, v_left);
    v_left := v_left - tenure_private.purge_groups(v_step_ids || p_run_ids, v_left);
    with gone as materialized (
        select u.step_id
        from unnest(v_step_ids) as u (step_id)
        where not tenure_private.has_details(u.step_id) and not tenure_private.has_tree(u.step_id)
        limit v_left
    )
    delete from tenure_private.step as s using gone as g where s.step_id = g.step_id;
    get diagnostics v_count = row_count;
    return p_max_rows - v_left + v_count;
end
$function$;
comment on function tenure_private.purge_trees(bigint[], int) is
'Removes at most p_max_rows rows that lie below these runs; returns how many.';
revoke all on function tenure_private.purge_trees(bigint[], int) from public;

-- sql/functions/private/queue_name.sql
create or replace function tenure_private.queue_name(p_track_id int)
returns text
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_name text;
begin
    select q.name into strict v_name
    from tenure_private.track as t
    join tenure_private.queue as q on q.queue_id = t.queue_id
    where t.track_id = p_track_id;
    return v_name;
end
$function$;
comment on function tenure_private.queue_name(int) is 'The queue of a track.';
revoke all on function tenure_private.queue_name(int) from public;

-- sql/functions/private/queue_with.sql
create or replace function tenure_private.queue_with(
    p_queue tenure_private.queue,
    p_timeout_default interval,
    p_timeout_floor interval,
    p_timeout_ceiling interval,
    p_retention interval,
    p_discarded_retention interval
)
returns tenure_private.queue
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_queue tenure_private.queue := p_queue;
begin
    v_queue.timeout_default := coalesce(
        tenure_private.duration(p_timeout_default, 'timeout_default'), p_queue.timeout_default
    );
    v_queue.timeout_floor := coalesce(tenure_private.duration(p_timeout_floor, 'timeout_floor'), p_queue.timeout_floor);
    v_queue.timeout_ceiling := coalesce(
        tenure_private.duration(p_timeout_ceiling, 'timeout_ceiling'), p_queue.timeout_ceiling
    );
    v_queue.retention := coalesce(tenure_private.duration(p_retention, 'retention'), p_queue.retention);
    v_queue.discarded_retention := coalesce(
        tenure_private.duration(p_discarded_retention, 'discarded_retention'), p_queue.discarded_retention
    );
    if v_queue.timeout_floor > v_queue.timeout_ceiling or v_queue.timeout_default < v_queue.timeout_floor
        or v_queue.timeout_default > v_queue.timeout_ceiling
    then
        perform tenure_private.refuse(
            'argument_invalid', 'the bounds of the timeout contradict each other',
            format(
                'default %s, floor %s, ceiling %s.',
                v_queue.timeout_default, v_queue.timeout_floor, v_queue.timeout_ceiling
            ),
            'The default lies between floor and ceiling.'
        );
    end if;
    return v_queue;
end
$function$;
comment on function tenure_private.queue_with(tenure_private.queue, interval, interval, interval, interval, interval) is
'A queue''s settings with those given put in; refuses what contradicts itself (TN007) or is no duration (TN006).';
revoke all on function tenure_private.queue_with(
    tenure_private.queue, interval, interval, interval, interval, interval
) from public;

-- sql/functions/private/quota_rooms.sql
create or replace function tenure_private.quota_rooms(p_quota_ids int[])
returns setof tenure_private.quota_room
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    return query
    select q.quota_id, (s.capacity - s.in_use)::int
    from tenure_private.quota as q
    join tenure.quota_status as s on s.quota = q.name
    where q.quota_id = any(p_quota_ids);
end
$function$;
comment on function tenure_private.quota_rooms(int[]) is
'How many units these quotas have room for: the capacity less the units of running steps; under 0 where it was lowered. True as long as the caller holds their locks, a hint without.';
revoke all on function tenure_private.quota_rooms(int[]) from public;

-- sql/functions/private/raise_head.sql
create or replace function tenure_private.raise_head(p_track_id int, p_now timestamptz, p_busy boolean)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- Two steps, because a transaction may commit late what it scheduled early. First a mark is set: an instant t, and
-- an id that is greater than those of all transactions which had one by t. Only when all of these have ended may the
-- head follow to t, and never past an entry that is seen then. Whoever makes a step available has its transaction
-- id before it reads the clock, so whatever it schedules before t belongs to a transaction that the mark waits for.
-- No snapshot tells such an id (its xmax is one past the last that ended, and others may run already). The marking
-- transaction's own is one if t is the instant at which that transaction began.
-- Locks: the track's advisory lock, tried; whoever finds it taken leaves the head as it is.
declare
    v_old tenure_private.head;
    v_head timestamptz;
    v_mark_at constant timestamptz = case when p_busy then tenure_private.begun_at() end;
begin
    v_old := tenure_private.newest_head(p_track_id);
    if p_now >= v_old.mark_at and p_now < v_old.mark_at + interval '20 milliseconds' then
        return;
    elsif v_old.mark_at = v_mark_at then
        -- This very transaction's: it has no better one to set.
        return;
    elsif v_old.mark_at is null and not p_busy then
        return;
    elsif current_setting('transaction_isolation') <> 'read committed' then
        -- An old snapshot shows neither the newest head nor what came since.
        return;
    elsif not pg_try_advisory_xact_lock(tenure_private.head_lock(), p_track_id) then
        return;
    end if;
    -- Once more under the lock, which keeps out other raisers, the fold, and whoever relies on the head as it is.
    v_old := tenure_private.newest_head(p_track_id);
    if v_old.mark_xid >= pg_snapshot_xmax(pg_current_snapshot())
        and v_old.mark_xid is distinct from pg_current_xact_id_if_assigned()
    then
        -- The mark of a transaction that this server has not had yet: it came with a restored dump.
        v_old.mark_at := null;
        v_old.mark_xid := null;
    end if;
    if exists (select from tenure_private.behind as b where b.track_id = p_track_id) then
        return;
    elsif v_old.mark_xid > pg_snapshot_xmin(pg_current_snapshot()) then
        -- Transactions of the mark are still open; a newer mark would only wait for more.
        return;
    elsif v_old.head > p_now or v_old.mark_at > p_now then
        -- Set before the clock was set back.
        v_old := null;
    end if;
    v_head := coalesce(v_old.head, '-infinity');
    if v_old.mark_at > v_head then
        v_head := tenure_private.first_entry(p_track_id, p_now, v_head, v_old.mark_at);
    end if;
    insert into tenure_private.head (track_id, head, mark_at, mark_xid)
    select p_track_id, v_head, m.mark_at, case when m.mark_at is not null then pg_current_xact_id() end
    from (select case when v_mark_at <= p_now then v_mark_at end as mark_at) as m;
end
$function$;
comment on function tenure_private.raise_head(int, timestamptz, boolean) is
'Moves a track''s head on as far as is safe. p_now: a clock read before this call; p_busy: entries were taken since, so a new mark is worth setting.';
revoke all on function tenure_private.raise_head(int, timestamptz, boolean) from public;

-- sql/functions/private/raise_heads.sql
create or replace function tenure_private.raise_heads(
    p_tracks tenure_private.open_track[], p_track_ids int[], p_now timestamptz
)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- Twenty milliseconds are given here too, so that a busy claim does not ask each of its tracks.
declare
    r_track record;
begin
    for r_track in
        select t.track_id, g.track_id is not null as busy
        from unnest(p_tracks) as t
        left join (select distinct u.track_id from unnest(p_track_ids) as u (track_id)) as g on g.track_id = t.track_id
        where case
            when t.mark_at is null then g.track_id is not null
            else p_now not between t.mark_at and t.mark_at + interval '20 milliseconds'
        end
    loop
        perform tenure_private.raise_head(r_track.track_id, p_now, r_track.busy);
    end loop;
end
$function$;
comment on function tenure_private.raise_heads(tenure_private.open_track[], int[], timestamptz) is
'Moves on the heads of the tracks that a claim read, where it took something (p_track_ids) or a mark is waiting.';
revoke all on function tenure_private.raise_heads(tenure_private.open_track[], int[], timestamptz) from public;

-- sql/functions/private/ration.sql
create or replace function tenure_private.ration(
    p_lane tenure_private.open_track[], p_picked tenure_private.picked, p_room int, p_now timestamptz
)
returns tenure_private.share[]
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- Step by step in the order of the lane: what fits into its quotas is taken, what does not stands in no other's way.
declare
    v_quota_ids int [];
    v_rooms int [];
    v_shares tenure_private.share [];
    v_track_ids int [] := array[]::int [];
    v_fits boolean;
    v_quota_id int;
    r_step record;
begin
    -- What this claim has picked is not running yet, so it is not in the rooms.
    select array_agg(r.quota_id), array_agg((r.room - coalesce(p.units, 0))::int) into strict v_quota_ids, v_rooms
    from tenure_private.quota_rooms(
        array(
            select u.quota_id
            from unnest(p_lane) as t
            join tenure_private.track as k on k.track_id = t.track_id
            cross join unnest(k.quota_ids) as u (quota_id)
        )
    ) as r
    left join (
        select u.quota_id, sum(k.quota_units) as units
        from unnest(p_picked.track_ids) as g (track_id)
        join tenure_private.track as k on k.track_id = g.track_id
        cross join unnest(k.quota_ids) as u (quota_id)
        group by u.quota_id
    ) as p on p.quota_id = r.quota_id;
    -- No track can give more than this.
    v_shares := tenure_private.share_out(
        array(
            select t
            from unnest(p_lane) as t
            join tenure_private.track as k on k.track_id = t.track_id
            where k.quota_ids is null
        ),
        p_picked.step_ids, p_room, p_now
    );
    v_shares := v_shares || array(
        select row(t.track_id, t.head, p_room)::tenure_private.share
        from unnest(p_lane) as t
        join tenure_private.track as k on k.track_id = t.track_id
        where k.quota_ids is not null
    );
    for r_step in
        select w.track_id, coalesce(k.quota_ids, '{}') as quota_ids, k.quota_units
        from unnest(v_shares) as w
        join tenure_private.track as k on k.track_id = w.track_id
        cross join lateral (
            select s.scheduled_at, s.step_id
            from tenure_private.step as s
            where s.track_id = w.track_id and s.state = 'available' and s.scheduled_at >= w.head
                and s.scheduled_at <= p_now
                and tenure_private.in_time(p_now, least(s.deadline_at, s.group_limit_at), s.start_by)
                and s.step_id <> all(p_picked.step_ids)
            order by s.scheduled_at, s.step_id
            limit w.wanted
        ) as s
        order by s.scheduled_at, s.step_id
    loop
        exit when cardinality(v_track_ids) = p_room;
        v_fits := true;
        foreach v_quota_id in array r_step.quota_ids loop
            v_fits := v_fits and v_rooms[array_position(v_quota_ids, v_quota_id)] >= r_step.quota_units;
        end loop;
        continue when not v_fits;
        foreach v_quota_id in array r_step.quota_ids loop
            v_rooms[array_position(v_quota_ids, v_quota_id)]
                := v_rooms[array_position(v_quota_ids, v_quota_id)] - r_step.quota_units;
        end loop;
        v_track_ids := v_track_ids || r_step.track_id;
    end loop;
    return (
        select array_agg(row(w.track_id, w.head, g.wanted)::tenure_private.share)
        from (
            select u.track_id, count(*)::int as wanted
            from unnest(v_track_ids) as u (track_id)
            group by u.track_id
        ) as g
        join unnest(v_shares) as w on w.track_id = g.track_id
    );
end
$function$;
comment on function tenure_private.ration(tenure_private.open_track[], tenure_private.picked, int, timestamptz) is
'share_out() for a lane in which quotas, which the caller has locked, bound some of the tracks.';
revoke all on function tenure_private.ration(
    tenure_private.open_track[], tenure_private.picked, int, timestamptz
) from public;

-- sql/functions/private/rearm.sql
create or replace function tenure_private.rearm(p_floor timestamptz, p_now timestamptz)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- Locks: the steps' rows, by SKIP LOCKED. Nothing but the alarm is written, so the runs' locks are not needed.
-- In sets of a thousand: a row costs half of what it does in sets of a hundred.
declare
    v_count int;
begin
    loop
        with due as materialized (
            select s.step_id
            from tenure_private.step as s
            where s.alarm_at >= p_floor and s.alarm_at <= p_now and s.state = 'running' and s.lease_expiry > p_now
                and (
                    tenure_private.limit_passed(
                        p_now, s.deadline_at, s.started_at, s.timeout, s.progress_at, s.progress_timeout
                    ) is null
                    or (s.on_timeout = 'wait' and (s.deadline_at is null or s.deadline_at > p_now))
                )
            order by s.alarm_at
            limit 1000
            for no key update skip locked
        )
        update tenure_private.step as s
        set alarm_at = tenure_private.next_alarm(
                p_now, s.state, s.lease_expiry, s.on_timeout, s.started_at, s.timeout, s.progress_at,
                s.progress_timeout, s.deadline_at, s.start_by, s.due_at
            )
        from due as d
        where s.step_id = d.step_id;
        get diagnostics v_count = row_count;
        exit when v_count < 1000;
    end loop;
end
$function$;
comment on function tenure_private.rearm(timestamptz, timestamptz) is
'Sets anew the due alarms of running steps that have lease and time left.';
revoke all on function tenure_private.rearm(timestamptz, timestamptz) from public;

-- sql/functions/private/recount.sql
create or replace function tenure_private.recount(p_group_ids bigint[])
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- The caller holds the run exclusively, and has folded what was noted.
declare
    v_pending constant bigint [] = tenure_private.pending_in(p_group_ids);
begin
    update tenure_private.step as s
    set reason = null
    where s.step_id = any(v_pending) and s.reason = 'blocked';
    update tenure_private.step_group as g
    set open = c.open,
        done = c.done,
        ending = null,
        doomed = false,
        final = false,
        uncertain = c.uncertain,
        error_kind = f.error_kind,
        error = f.error
    from tenure_private.step as s
    cross join lateral (
        select
            count(*) filter (where c.finished_at is null and m.node_id <> 0) as open,
            count(*) filter (where c.state = 'completed') as done,
            coalesce(bool_or(c.state = 'discarded' and (c.error_kind = 'uncertain' or w.uncertain)), false) as uncertain
        from tenure_private.member as m
        join tenure_private.step as c on c.step_id = m.step_id
        left join tenure_private.step_group as w on w.step_id = c.step_id
        where m.group_id = s.step_id and m.attempt = s.attempt
    ) as c
    left join lateral (
        select c.error_kind, c.error
        from tenure_private.member as m
        join tenure_private.step as c on c.step_id = m.step_id and c.state = 'discarded'
        where m.group_id = s.step_id and m.attempt = s.attempt
        order by c.finished_at, c.step_id
        limit 1
    ) as f on true
    where g.step_id = any(p_group_ids) and s.step_id = g.step_id;
end
$function$;
comment on function tenure_private.recount(bigint[]) is 'Sets the counts and the first error of groups anew, from their children; none is blocked any more until advance() has looked.';
revoke all on function tenure_private.recount(bigint[]) from public;

-- sql/functions/private/refuse.sql
create or replace function tenure_private.refuse(p_kind text, p_message text, p_detail text, p_hint text)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- volatile: were it immutable, the planner might raise the error of a call that is never made.
-- The one table of error codes. A kind that is not in it is a defect of the caller and says so.
declare
    v_code constant text = case p_kind
        when 'step_not_found' then 'TN001'
        when 'not_a_run' then 'TN002'
        when 'queue_unknown' then 'TN003'
        when 'queue_differs' then 'TN004'
        when 'name_invalid' then 'TN005'
        when 'duration_invalid' then 'TN006'
        when 'argument_invalid' then 'TN007'
        when 'too_large' then 'TN008'
        when 'timeout_out_of_bounds' then 'TN009'
        when 'invalid_transition' then 'TN010'
        when 'not_finished' then 'TN011'
        when 'run_discarded' then 'TN012'
        when 'run_cancelled' then 'TN013'
        when 'stale' then 'TN014'
        when 'quota_unknown' then 'TN015'
        when 'isolation_level' then 'TN016'
        when 'run_purging' then 'TN017'
        when 'queue_not_granted' then 'TN018'
        when 'role_unknown' then 'TN019'
        when 'workflow_unknown' then 'TN030'
        when 'workflow_invalid' then 'TN031'
    end;
begin
    raise exception using
        errcode = coalesce(v_code, 'XX000'),
        message = p_message,
        detail = coalesce(p_detail, ''),
        hint = coalesce(p_hint, '');
end
$function$;
comment on function tenure_private.refuse(text, text, text, text) is
'Raises the error of one kind: message constant enough to group on, detail the values, hint what to do.';
revoke all on function tenure_private.refuse(text, text, text, text) from public;

-- sql/functions/private/refuse_elements.sql
create or replace function tenure_private.refuse_elements(p_group_ids bigint[], p_now timestamptz)
returns bigint[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_step tenure_private.step;
    v_refused bigint [] := array[]::bigint [];
begin
    for v_step in
        select s.*
        from tenure_private.step as s
        where s.step_id = any(p_group_ids) and s.position is not null and jsonb_typeof(s.input) <> 'object'
        order by s.step_id
    loop
        perform tenure_private.land(
            array[v_step.step_id], null,
            tenure_private.discard(v_step, 'discarded', 'permanent', jsonb_build_object(
                'type', 'ElementRefused', 'kind', 'permanent',
                'message', format(
                    'element %s of the map is no object but %s', v_step.position, jsonb_typeof(v_step.input)
                ),
                'step', tenure_private.step_name(v_step.track_id)
            )),
            p_now, null, null
        );
        v_refused := v_refused || v_step.step_id;
    end loop;
    return v_refused;
end
$function$;
comment on function tenure_private.refuse_elements(bigint[], timestamptz) is
'Discards those of these groups that are mounts of an element of a map which has no members to be their keys, and returns them.';
revoke all on function tenure_private.refuse_elements(bigint[], timestamptz) from public;

-- sql/functions/private/refuse_keys.sql
create or replace function tenure_private.refuse_keys(p_step_ids bigint[], p_now timestamptz)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_step tenure_private.step;
begin
    for v_step in select s.* from tenure_private.step as s where s.step_id = any(p_step_ids) order by s.step_id loop
        perform tenure_private.land(
            array[v_step.step_id], null,
            tenure_private.discard(
                v_step, 'discarded', 'permanent', tenure_private.oversized(v_step, 'the keys that it needs')
            ),
            p_now, null, null
        );
    end loop;
end
$function$;
comment on function tenure_private.refuse_keys(bigint[], timestamptz) is
'Discards pending children whose keys are too large to be handed out together.';
revoke all on function tenure_private.refuse_keys(bigint[], timestamptz) from public;

-- sql/functions/private/refuse_map.sql
create or replace function tenure_private.refuse_map(
    p_step tenure_private.step, p_key text, p_value jsonb, p_now timestamptz
)
returns bigint[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_found constant text = case
        when jsonb_typeof(p_value) = 'array' then format('an array of %s elements', jsonb_array_length(p_value))
        else jsonb_typeof(p_value)
    end;
begin
    perform tenure_private.land(
        array[p_step.step_id], null,
        tenure_private.discard(p_step, 'discarded', 'permanent', jsonb_build_object(
            'type', 'MapRefused', 'kind', 'permanent',
            'message', format('key %s is no array of at most 10000 elements but %s', p_key, v_found),
            'step', tenure_private.step_name(p_step.track_id)
        )),
        p_now, null, null
    );
    return array[p_step.step_id];
end
$function$;
comment on function tenure_private.refuse_map(tenure_private.step, text, jsonb, timestamptz) is
'Discards a map whose key has a value that cannot be mapped over.';
revoke all on function tenure_private.refuse_map(tenure_private.step, text, jsonb, timestamptz) from public;

-- sql/functions/private/relation_facts.sql
create or replace function tenure_private.relation_facts(p_schemas oid[])
returns setof tenure_private.fact
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    return query
    select format('%s %s', tenure_private.relation_kind(c.relkind), c.oid::regclass), f.aspect, f.fact
    from pg_class as c
    left join pg_index as i on i.indexrelid = c.oid
    left join pg_class as t on t.oid = c.reltoastrelid
    left join pg_sequence as s on s.seqrelid = c.oid
    cross join lateral (values
        ('owner', pg_get_userbyid(c.relowner)::text),
        (
            'grants', tenure_private.grants(
                coalesce(c.relacl, acldefault((case c.relkind when 'S' then 's' else 'r' end)::"char", c.relowner))
            )
        ),
        ('options', concat_ws('; ', c.relpersistence, array_to_string(c.reloptions, '; '))),
        ('toast options', array_to_string(t.reloptions, '; ')),
        (
            'definition', case c.relkind
                when 'i' then pg_get_indexdef(c.oid)
                -- From PostgreSQL 16 on the columns of a view of one table stand there without that table's name.
                when 'v' then md5(regexp_replace(pg_get_viewdef(c.oid), '\m\w+\.', '', 'g'))
                when 'S' then format(
                    '%s from %s by %s in %s to %s, cache %s%s', s.seqtypid::regtype, s.seqstart, s.seqincrement,
                    s.seqmin, s.seqmax, s.seqcache, case when s.seqcycle then ', cycles' end
                )
                else ''
            end
        ),
        (
            'state',
            case when c.relkind = 'i' then case when i.indisvalid and i.indisready then 'valid' else 'invalid' end end
        ),
        -- Which rows a publication can tell apart; by their primary key is usual.
        (
            'replica identity', case when c.relkind = 'r' then
                case c.relreplident when 'f' then 'full' when 'n' then 'nothing' when 'i' then 'index' end
            end
        ),
        ('row security', (c.relrowsecurity or c.relforcerowsecurity)::text),
        (
            'heirs', (
                select string_agg(h.inhrelid::regclass::text, ', ' order by h.inhrelid::regclass::text)
                from pg_inherits as h
                where h.inhparent = c.oid
            )
        ),
        ('comment', obj_description(c.oid, 'pg_class'))
    ) as f (aspect, fact)
    where c.relnamespace = any(p_schemas) and c.relkind in ('r', 'v', 'i', 'S', 'p', 'm', 'f', 'I');
end
$function$;
comment on function tenure_private.relation_facts(oid[]) is 'The part of catalogue() about tables, views, indexes and sequences.';
revoke all on function tenure_private.relation_facts(oid[]) from public;

-- sql/functions/private/relation_kind.sql
create or replace function tenure_private.relation_kind(p_relkind "char")
returns text
language sql immutable parallel safe
as $function$
select case p_relkind
    when 'r' then 'table' when 'v' then 'view' when 'i' then 'index' when 'S' then 'sequence' else 'relation'
end;
$function$;
comment on function tenure_private.relation_kind("char") is 'A word for a kind of relation.';
revoke all on function tenure_private.relation_kind("char") from public;

-- sql/functions/private/renew.sql
create or replace function tenure_private.renew(
    p_step_ids bigint[], p_owner text, p_generations bigint[], p_progress jsonb
)
returns setof tenure.renewal
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
set jit = off
as $function$
-- The caller holds the rows, so the clock is read late enough. Only columns that no index names are written, so that
-- the new version stays on its page (HOT). alarm_at may be early but not late, so it changes only when the new
-- expiry is nearer than it: a shorter ttl, or a clock set back.
declare
    v_now constant timestamptz = tenure_private.clock();
begin
    return query
    with judged as materialized (
        select
            u.n, u.step_id, s.on_timeout, l.passed,
            case
                when s.state = 'running' and s.lease_owner = p_owner and s.lease_generation = u.generation then
                    case
                        -- The end of the group, which a sweep or fold will see: it cancels, and waits for no body.
                        when s.group_limit_at <= v_now then 'cancelled'
                        when l.passed is null then 'renewed'
                        else 'timed_out'
                    end
                when s.state = 'cancelled' then 'cancelled'
                else 'lost'
            end as verdict
        from unnest(p_step_ids, p_generations) with ordinality as u (step_id, generation, n)
        left join tenure_private.step as s on s.step_id = u.step_id
        cross join lateral (
            select tenure_private.limit_passed(
                v_now, s.deadline_at, s.started_at, s.timeout, s.progress_at, s.progress_timeout
            ) as passed
        ) as l
    ),
    beaten as (
        update tenure_private.step as s
        set lease_expiry = v_now + s.lease_ttl,
            heartbeat_at = v_now,
            -- What comes after a limit does not take the limit back.
            progress = case when j.passed is null then coalesce(p_progress, s.progress) else s.progress end,
            progress_at = case when j.passed is null and p_progress is not null then v_now else s.progress_at end,
            alarm_at = least(s.alarm_at, v_now + s.lease_ttl)
        from judged as j
        where s.step_id = j.step_id
            -- Under on_timeout = wait the lease goes on past the limit, so that no second body starts beside the first.
            and (
                j.verdict = 'renewed'
                or (j.verdict = 'timed_out' and j.on_timeout = 'wait' and j.passed <> 'deadline')
            )
        returning s.step_id, s.lease_expiry
    )
    select
        j.step_id, j.verdict, coalesce(b.lease_expiry, s.lease_expiry),
        tenure_private.time_left(v_now, least(s.deadline_at, s.group_limit_at), s.started_at, s.timeout)
    from judged as j
    left join tenure_private.step as s on s.step_id = j.step_id and j.verdict in ('renewed', 'timed_out')
    left join beaten as b on b.step_id = s.step_id
    order by j.n;
end
$function$;
comment on function tenure_private.renew(bigint[], text, bigint[], jsonb) is
'Renews leases whose rows the caller has locked, each guarded by its own generation and limits.';
revoke all on function tenure_private.renew(bigint[], text, bigint[], jsonb) from public;

-- sql/functions/private/reopen_groups.sql
create or replace function tenure_private.reopen_groups(p_step_ids bigint[], p_extra_attempts int, p_now timestamptz)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- A group reopens with the children that it has, in the same attempt; one that has none yet waits for its keys again.
-- To go on so is the first of its extra attempts: what has completed must not be done once more when it fails again.
begin
    perform tenure_private.restart_layers(p_step_ids, p_extra_attempts, p_now);
    update tenure_private.step as s
    set state = d.state,
        scheduled_at = p_now,
        started_at = case d.state when 'waiting_steps' then p_now end,
        due_at = null,
        max_attempts = greatest(
            o.max_attempts,
            least(o.attempt::bigint + coalesce(p_extra_attempts, 0) - d.goes_on, 2147483647)::int
        ),
        error = null,
        error_kind = null,
        reason = null,
        finished_at = null,
        deadline_at = coalesce(p_now + s.deadline, tenure_private.nearest_layer(s.step_id)),
        alarm_at = tenure_private.next_alarm(
            p_now, d.state, null, null, p_now, s.timeout, null, null,
            coalesce(p_now + s.deadline, tenure_private.nearest_layer(s.step_id)), null, null
        )
    from tenure_private.step as o
    cross join lateral (
        select case when m.has then 'waiting_steps' else 'pending' end as state, m.has::int as goes_on
        from (
            select exists (
                select from tenure_private.member as m where m.group_id = o.step_id and m.attempt = o.attempt
            ) as has
        ) as m
    ) as d
    where s.step_id = any(p_step_ids) and o.step_id = s.step_id;
end
$function$;
comment on function tenure_private.reopen_groups(bigint[], int, timestamptz) is
'Reopens groups; p_extra_attempts: room for at least so many more, NULL: as before.';
revoke all on function tenure_private.reopen_groups(bigint[], int, timestamptz) from public;

-- sql/functions/private/reopen_in_tree.sql
create or replace function tenure_private.reopen_in_tree(
    p_step tenure_private.step, p_extra_attempts int, p_now timestamptz
)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_mergejoin = off
set enable_hashjoin = off
as $function$
-- The caller holds the run exclusively.
declare
    v_above bigint [];
    v_leaves bigint [];
    v_discarded bigint [];
    v_cancelled bigint [];
    v_groups bigint [];
begin
    v_above := tenure_private.discarded_above(p_step);
    with recursive reopened as (
        select s.step_id, s.tree, s.attempt, s.state, s.step_id = p_step.step_id as failed
        from tenure_private.step as s
        where s.step_id = any(v_above || p_step.step_id)
        union
        select c.step_id, c.tree, c.attempt, c.state, c.state = 'discarded'
        from reopened as r
        -- What a plain job has started has no attempt of a group.
        join tenure_private.member as m on m.group_id = r.step_id and m.attempt in (r.attempt, 0)
        join tenure_private.step as c on c.step_id = m.step_id
        where r.tree and (
            (c.state = 'cancelled' and c.reason in ('sibling_discarded', 'group_ended', 'parent_ended'))
            or (c.state = 'discarded' and r.failed)
        )
    )
    select
        coalesce(array_agg(r.step_id order by r.step_id) filter (where g.step_id is null), '{}'),
        coalesce(array_agg(r.step_id) filter (where g.step_id is not null and r.failed), '{}'),
        coalesce(array_agg(r.step_id) filter (where g.step_id is not null and not r.failed), '{}')
    into strict v_leaves, v_discarded, v_cancelled
    from (select distinct on (o.step_id) o.* from reopened as o order by o.step_id, o.failed desc) as r
    left join tenure_private.step_group as g on g.step_id = r.step_id;
    perform from tenure_private.step as s
    where s.step_id = any(v_leaves || v_discarded || v_cancelled) order by s.step_id for no key update;
    perform tenure_private.reopen_leaves(v_leaves, p_extra_attempts, p_now);
    perform tenure_private.reopen_groups(v_discarded, p_extra_attempts, p_now);
    perform tenure_private.reopen_groups(v_cancelled, null, p_now);
    v_groups := v_discarded || v_cancelled || p_step.parent_id
        || array(
            select s.parent_id from tenure_private.step as s where s.step_id = any(v_above) and s.parent_id is not null
        );
    perform tenure_private.recount(v_groups);
    perform tenure_private.set_group_limits(p_step.root_id);
    perform tenure_private.fold_run(
        p_step.root_id,
        tenure_private.advance(tenure_private.pending_in(v_groups), p_now)
        || tenure_private.open_groups(tenure_private.unopened(v_groups), p_now)
        || tenure_private.conclude(tenure_private.settled(v_groups), p_now)
    );
end
$function$;
comment on function tenure_private.reopen_in_tree(tenure_private.step, int, timestamptz) is
'Reopens a discarded step of a tree: below it the children that took it down, above it the groups that it took down, and beside them what was cancelled with it.';
revoke all on function tenure_private.reopen_in_tree(tenure_private.step, int, timestamptz) from public;

-- sql/functions/private/reopen_leaves.sql
create or replace function tenure_private.reopen_leaves(p_step_ids bigint[], p_extra_attempts int, p_now timestamptz)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- The caller holds the run exclusively. Nodes that were never claimed wait for their keys again: advance() looks at
-- them next. Under on_timeout = wait two bodies never overlap: not before the old one's lease has ended.
declare
    v_track_ids int [];
begin
    perform tenure_private.drop_staged(p_step_ids);
    perform tenure_private.restart_layers(p_step_ids, p_extra_attempts, p_now);
    with reopened as (
        update tenure_private.step as s
        set state = d.state,
            scheduled_at = d.due_at,
            attempt = case o.state
                when 'discarded' then
                    least(o.attempt::bigint + tenure_private.was_consumed(o.error_kind), 2147483647)::int
                else o.attempt
            end,
            max_attempts = case o.state
                when 'discarded' then
                    greatest(o.max_attempts, least(o.attempt::bigint + p_extra_attempts, 2147483647)::int)
                else o.max_attempts
            end,
            reclaims = 0,
            error = null,
            error_kind = null,
            reason = null,
            finished_at = null,
            lease_owner = null,
            lease_expiry = null,
            deadline_at = coalesce(p_now + s.deadline, tenure_private.nearest_layer(s.step_id)),
            start_by = d.start_by,
            alarm_at = tenure_private.next_alarm(
                p_now, d.state, null, s.on_timeout, null, null, null, null,
                coalesce(p_now + s.deadline, tenure_private.nearest_layer(s.step_id)), d.start_by, null
            )
        from tenure_private.step as o
        cross join lateral (
            select
                case
                    when o.lease_generation = 0 and o.node_id is not null and o.position is null then 'pending'
                    else 'available'
                end,
                greatest(
                    p_now, case when o.on_timeout = 'wait' then o.lease_expiry end,
                    -- What a sibling had still to wait for, it waits for again.
                    case when o.state = 'cancelled' then o.scheduled_at end
                )
        ) as w (state, due_at)
        cross join lateral (
            select w.state, w.due_at,
                -- Counted from when it is due, to its first claim: a sibling that was claimed before has had it.
                case when w.state = 'available' and o.state = 'discarded' then w.due_at + o.start_within end as start_by
        ) as d
        where s.step_id = any(p_step_ids) and o.step_id = s.step_id
        returning s.track_id, s.state
    )
    select array_agg(distinct r.track_id) into strict v_track_ids from reopened as r where r.state = 'available';
    perform tenure_private.wake(u.track_id) from unnest(v_track_ids) as u (track_id);
end
$function$;
comment on function tenure_private.reopen_leaves(bigint[], int, timestamptz) is
'Reopens steps with a handler: discarded ones with room for p_extra_attempts more, cancelled ones in the attempt that they were in.';
revoke all on function tenure_private.reopen_leaves(bigint[], int, timestamptz) from public;

-- sql/functions/private/replace_seed.sql
create or replace function tenure_private.replace_seed()
returns trigger
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- Restoring a dump of the extension runs the install, which puts these rows there, and then brings those that were
-- dumped, with all that was changed about them. The later row counts.
declare
    v_row constant jsonb = to_jsonb(new);
begin
    case tg_table_name
        when 'queue' then delete from tenure_private.queue as q where q.queue_id = (v_row ->> 'queue_id')::int;
        when 'setting' then delete from tenure_private.setting as s where s.name = v_row ->> 'name';
        when 'high_clock' then delete from tenure_private.high_clock;
    end case;
    return new;
end
$function$;
comment on function tenure_private.replace_seed() is 'Lets a dump be restored over the rows that the install makes.';
revoke all on function tenure_private.replace_seed() from public;

-- sql/functions/private/resolve.sql
create or replace function tenure_private.resolve(
    p_name text,
    p_queue text,
    p_priority int,
    p_timeout interval,
    p_deadline interval,
    p_max_attempts int,
    p_backoff jsonb,
    p_max_reclaims int,
    p_on_timeout text,
    p_start_within interval,
    p_progress_timeout interval,
    p_idempotency_period interval,
    p_quota_ids int[] default null
)
returns tenure_private.settings
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- What the call says beats the definition, which beats the queue, which beats what is built in.
declare
    v_given tenure_private.settings;
    v_default tenure_private.definition;
    v_queue tenure_private.queue;
    v_quota_ids int [];
begin
    perform tenure_private.check_name(p_name, 'name');
    v_given := tenure_private.check_settings(
        p_priority, p_timeout, p_deadline, p_max_attempts, p_backoff, p_max_reclaims, p_on_timeout, p_start_within,
        p_progress_timeout, p_idempotency_period
    );
    select d.* into v_default from tenure_private.definition as d where d.name = p_name;
    v_queue := tenure_private.find_queue(coalesce(p_queue, v_default.queue, 'default'));
    v_given.queue_id := v_queue.queue_id;
    v_quota_ids := nullif(
        coalesce(p_quota_ids, case when v_default.quota_id is not null then array[v_default.quota_id] end), '{}'
    );
    v_given.track_id := tenure_private.find_track(
        v_queue.queue_id, coalesce(p_priority, v_default.priority, 0), p_name, v_quota_ids,
        case when v_quota_ids is not null then coalesce(v_default.quota_units, 1) end
    );
    -- Where nobody says one, a ceiling is one: no timeout at all would lie above it.
    v_given.timeout := coalesce(
        v_given.timeout, v_default.timeout, v_queue.timeout_default, v_queue.timeout_ceiling
    );
    perform tenure_private.check_timeout(v_queue, v_given.timeout);
    v_given.deadline := coalesce(v_given.deadline, v_default.deadline);
    v_given.max_attempts := greatest(coalesce(p_max_attempts, v_default.max_attempts, 5), 1);
    v_given.backoff := coalesce(p_backoff, v_default.backoff);
    v_given.max_reclaims := nullif(coalesce(p_max_reclaims, v_default.max_reclaims, 10), -1);
    v_given.on_timeout := coalesce(p_on_timeout, v_default.on_timeout, 'abandon');
    v_given.start_within := coalesce(v_given.start_within, v_default.start_within);
    v_given.progress_timeout := coalesce(v_given.progress_timeout, v_default.progress_timeout);
    v_given.idempotency_period := coalesce(v_given.idempotency_period, v_default.idempotency_period);
    v_given.headers := v_default.headers;
    return v_given;
end
$function$;
comment on function tenure_private.resolve(
    text, text, int, interval, interval, int, jsonb, int, text, interval, interval, interval, int[]
) is
'The policy of a step to be enqueued, from call, definition, queue and built-in defaults; refuses what is malformed or unknown. p_quota_ids: its quotas, NULL: that of the definition.';
revoke all on function tenure_private.resolve(
    text, text, int, interval, interval, int, jsonb, int, text, interval, interval, interval, int[]
) from public;

-- sql/functions/private/resolve_policy.sql
create or replace function tenure_private.resolve_policy(p_policy jsonb)
returns tenure_private.settings
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_unknown constant jsonb = p_policy - array[
        'name', 'queue', 'priority', 'timeout', 'deadline', 'max_attempts', 'backoff', 'max_reclaims', 'on_timeout',
        'start_within', 'progress_timeout', 'idempotency_period'
    ];
    r_policy record;
begin
    if v_unknown <> '{}' then
        perform tenure_private.refuse(
            'argument_invalid', 'a step has an unknown key',
            v_unknown::text, 'The keys are the parameters of tenure.enqueue.'
        );
    elsif exists (
        select from jsonb_each(p_policy) as m where m.key <> 'backoff' and jsonb_typeof(m.value) in ('object', 'array')
    ) then
        -- Not left to the casts: PostgreSQL 15 reads {"s": 1} as an interval.
        perform tenure_private.refuse(
            'argument_invalid', 'a step has a value of the wrong type',
            p_policy::text, 'See tenure.enqueue for the types.'
        );
    end if;
    begin
        select p.* into strict r_policy
        from jsonb_to_record(p_policy) as p (
            name text, queue text, priority int, timeout interval, deadline interval, max_attempts int, backoff jsonb,
            max_reclaims int, on_timeout text, start_within interval, progress_timeout interval,
            idempotency_period interval
        );
    exception when data_exception then
        perform tenure_private.refuse(
            'argument_invalid', 'a step has a value of the wrong type',
            sqlerrm, 'See tenure.enqueue for the types.'
        );
    end;
    return tenure_private.resolve(
        r_policy.name, r_policy.queue, r_policy.priority, r_policy.timeout, r_policy.deadline, r_policy.max_attempts,
        nullif(r_policy.backoff, 'null'), r_policy.max_reclaims, r_policy.on_timeout, r_policy.start_within,
        r_policy.progress_timeout, r_policy.idempotency_period
    );
end
$function$;
comment on function tenure_private.resolve_policy(jsonb) is 'resolve() for a policy in JSON.';
revoke all on function tenure_private.resolve_policy(jsonb) from public;

-- sql/functions/private/restart_layers.sql
create or replace function tenure_private.restart_layers(p_step_ids bigint[], p_extra_attempts int, p_now timestamptz)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- What the columns of other steps are told: the innermost retry stands for attempt and max_attempts. Before the
-- caller clears the errors, which tell whether the last attempt was consumed.
begin
    update tenure_private.layer as l
    set entered_at = case when l.entered_at is not null then p_now end
    where l.step_id = any(p_step_ids);
    update tenure_private.layer as l
    set begun = least(l.begun::bigint + tenure_private.was_consumed(s.error_kind), 2147483647)::int,
        attempts = greatest(l.attempts, least(l.begun::bigint + coalesce(p_extra_attempts, 0), 2147483647)::int)
    from tenure_private.step as s
    where s.step_id = any(p_step_ids) and s.state = 'discarded' and l.step_id = s.step_id and l.position = (
        select max(r.position) from tenure_private.layer as r where r.step_id = s.step_id and r.kind = 'retry'
    );
    perform tenure_private.set_limits(p_step_ids);
end
$function$;
comment on function tenure_private.restart_layers(bigint[], int, timestamptz) is
'Lets steps that are about to be reopened enter their layers anew; discarded ones with room for p_extra_attempts more at least (NULL: none).';
revoke all on function tenure_private.restart_layers(bigint[], int, timestamptz) from public;

-- sql/functions/private/retire.sql
create or replace function tenure_private.retire(p_now timestamptz, p_rows int)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- Walks the runs that ended longer ago than the shortest retention, in the order in which they ended, round and
-- round, p_rows of them each time: queues keep theirs for different times, so those that stay must not stand in the
-- way of those that go. Those that ended at one instant are looked at together, or more than p_rows would bar the way.
declare
    v_from constant timestamptz = (tenure_private.newest_head(-1)).head;
    v_until timestamptz;
    v_last timestamptz;
    v_seen bigint;
    v_ids bigint [];
begin
    select p_now - least(min(q.retention), min(q.discarded_retention)) into strict v_until
    from tenure_private.queue as q;
    with seen as materialized (
        select s.step_id, s.finished_at, s.state, s.track_id, s.lease_expiry
        from tenure_private.step as s
        where s.finished_at is not null and s.parent_id is null and s.finished_at > v_from and s.finished_at <= v_until
        order by s.finished_at
        fetch first p_rows rows with ties
    )
    select
        max(n.finished_at), count(*),
        array_agg(n.step_id) filter (
            where n.finished_at <= p_now - case n.state when 'discarded' then q.discarded_retention else q.retention end
            and (n.lease_expiry is null or n.lease_expiry < p_now)
        )
    into strict v_last, v_seen, v_ids
    from seen as n
    join tenure_private.track as t on t.track_id = n.track_id
    join tenure_private.queue as q on q.queue_id = t.queue_id;
    if v_ids is not null then
        perform tenure_private.purge_runs(v_ids, p_rows);
    end if;
    insert into tenure_private.head (track_id, head, mark_at)
    values (-1, case when v_seen >= p_rows then v_last else '-infinity' end, p_now);
end
$function$;
comment on function tenure_private.retire(timestamptz, int) is 'Purges runs that have outlived their queue''s retention, looking at p_rows finished runs a time.';
revoke all on function tenure_private.retire(timestamptz, int) from public;

-- sql/functions/private/ring.sql
create or replace function tenure_private.ring(p_max_steps int)
returns tenure.sweep_report
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- The one loop over due alarms, oldest first. What it reads without a lock is only a hint: ring_one() decides.
-- Alarms of leases that were renewed since are set anew in sets first, and count nothing.
declare
    v_now constant timestamptz = tenure_private.clock();
    v_floor timestamptz;
    v_mark_at timestamptz;
    v_report tenure.sweep_report;
    v_moved int := 0;
    v_event text;
    r_step record;
begin
    v_report := row(0, 0, 0, 0, null::interval);
    v_floor := tenure_private.alarm_floor(v_now);
    perform tenure_private.rearm(v_floor, v_now);
    for r_step in
        select s.step_id, s.root_id
        from tenure_private.step as s
        where s.alarm_at >= v_floor and s.alarm_at <= v_now
        order by s.alarm_at
    loop
        v_event := tenure_private.ring_safely(r_step.step_id, r_step.root_id);
        v_report.reclaimed := v_report.reclaimed + (v_event = 'reclaimed')::int;
        v_report.timed_out := v_report.timed_out + (v_event in ('timed_out', 'timed_out discarded'))::int;
        v_report.discarded := v_report.discarded + (v_event in ('discarded', 'timed_out discarded'))::int;
        v_report.woken := v_report.woken + (v_event = 'woken')::int;
        v_moved := v_moved + (v_event <> 'nothing')::int;
        exit when v_moved = p_max_steps;
    end loop;
    -- Alarms go without a sweep, too: each completion takes one away. So the floor moves on once a second at least.
    v_mark_at := (tenure_private.newest_head(0)).mark_at;
    if v_moved > 0 or v_mark_at is null or v_now not between v_mark_at and v_mark_at + interval '1 second' then
        perform tenure_private.raise_head(0, v_now, true);
    end if;
    v_report.next_due_in := case
        when v_moved = p_max_steps then interval '0'
        else tenure_private.next_due_in(v_floor)
    end;
    return v_report;
end
$function$;
comment on function tenure_private.ring(int) is 'Moves on the steps whose alarm is due, at most p_max_steps of them.';
revoke all on function tenure_private.ring(int) from public;

-- sql/functions/private/ring_group.sql
create or replace function tenure_private.ring_group(p_step tenure_private.step, p_now timestamptz)
returns text
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- The caller holds the run exclusively. A limit ends the attempt: what is open below is called off first.
declare
    v_passed constant text = tenure_private.group_limit(p_step, p_now);
begin
    if v_passed is not null then
        perform tenure_private.end_group(p_step, v_passed, p_now);
        return tenure_private.group_event(p_step.step_id);
    elsif p_step.state = 'waiting_timer' and p_step.due_at <= p_now then
        perform tenure_private.fold_run(p_step.root_id, tenure_private.open_groups(array[p_step.step_id], p_now));
        return 'woken';
    elsif p_step.state = 'pending' and p_step.due_at <= p_now then
        update tenure_private.step as s set due_at = null where s.step_id = p_step.step_id;
        perform tenure_private.fold_run(p_step.root_id, tenure_private.advance(array[p_step.step_id], p_now));
    end if;
    return null;
end
$function$;
comment on function tenure_private.ring_group(tenure_private.step, timestamptz) is
'What a due alarm means for a group: a limit has passed, or its next attempt begins: discarded, timed_out, timed_out discarded or woken; NULL: nothing yet.';
revoke all on function tenure_private.ring_group(tenure_private.step, timestamptz) from public;

-- sql/functions/private/ring_one.sql
create or replace function tenure_private.ring_one(p_step_id bigint, p_root_id bigint)
returns text
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_step tenure_private.step;
    v_now timestamptz;
    v_outcome tenure_private.outcome;
    v_event text;
    v_late bigint [];
begin
    if not tenure_private.lock_run(p_root_id, false) then
        return 'nothing';
    end if;
    select s.* into v_step from tenure_private.step as s where s.step_id = p_step_id for no key update skip locked;
    v_now := tenure_private.clock();
    if v_step.alarm_at is null or v_step.alarm_at > v_now then
        return 'nothing';
    end if;
    if v_step.parent_id is not null then
        -- Where several limits have passed, the outermost decides.
        v_late := tenure_private.end_overdue(array[p_step_id], v_now);
        if v_late <> '{}' then
            perform tenure_private.fold_run(v_step.root_id, v_late);
            return tenure_private.group_event(v_late[1]);
        end if;
    end if;
    if v_step.tree and exists (select from tenure_private.step_group as g where g.step_id = p_step_id) then
        v_event := tenure_private.ring_group(v_step, v_now);
        if v_event is not null then
            return v_event;
        end if;
    else
        v_outcome := tenure_private.answer_alarm(v_step, v_now);
    end if;
    if v_outcome.state is null then
        update tenure_private.step as s
        set alarm_at = tenure_private.next_alarm(
                v_now, s.state, s.lease_expiry, s.on_timeout, s.started_at, s.timeout, s.progress_at,
                s.progress_timeout, s.deadline_at, s.start_by, s.due_at
            )
        where s.step_id = p_step_id;
        return 'nothing';
    end if;
    perform tenure_private.land_one(v_step, v_outcome, v_now, null, null);
    if v_step.parent_id is not null or v_step.tree then
        perform tenure_private.note_ends(array[p_step_id]);
    end if;
    return v_outcome.verdict;
end
$function$;
comment on function tenure_private.ring_one(bigint, bigint) is
'Locks a step whose alarm seemed due, decides again under the lock, and moves it: reclaimed, timed_out, discarded, timed_out discarded, woken or nothing.';
revoke all on function tenure_private.ring_one(bigint, bigint) from public;

-- sql/functions/private/ring_safely.sql
create or replace function tenure_private.ring_safely(p_step_id bigint, p_root_id bigint)
returns text
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    return tenure_private.ring_one(p_step_id, p_root_id);
exception when others then
    -- One step's error stays its own, and does not come up again in every pass.
    raise warning using
        message = format('the sweep could not move step %s: %s', p_step_id, sqlerrm), errcode = sqlstate;
    update tenure_private.step as s
    set alarm_at = tenure_private.clock() + interval '1 minute'
    where s.step_id in (
        select l.step_id from tenure_private.step as l where l.step_id = p_step_id for no key update skip locked
    );
    return 'nothing';
end
$function$;
comment on function tenure_private.ring_safely(bigint, bigint) is 'ring_one() for one item of a sweep: an error is a warning, and the step is looked at again in a minute.';
revoke all on function tenure_private.ring_safely(bigint, bigint) from public;

-- sql/functions/private/run_settings.sql
create or replace function tenure_private.run_settings(
    p_workflow text,
    p_queue text,
    p_priority int,
    p_timeout interval,
    p_deadline interval,
    p_max_attempts int,
    p_backoff jsonb,
    p_idempotency_period interval
)
returns tenure_private.settings
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- A step of the same name has nothing to do with it, and a queue's bounds are those of executions.
declare
    v_settings tenure_private.settings;
    v_queue tenure_private.queue;
begin
    v_settings := tenure_private.check_settings(
        p_priority, p_timeout, p_deadline, p_max_attempts, p_backoff, null, null, null, null, p_idempotency_period
    );
    v_queue := tenure_private.find_queue(coalesce(p_queue, 'default'));
    v_settings.queue_id := v_queue.queue_id;
    v_settings.track_id := tenure_private.find_track(v_queue.queue_id, coalesce(p_priority, 0), p_workflow, null, null);
    v_settings.max_attempts := coalesce(v_settings.max_attempts, 1);
    v_settings.backoff := p_backoff;
    v_settings.on_timeout := 'abandon';
    return v_settings;
end
$function$;
comment on function tenure_private.run_settings(text, text, int, interval, interval, int, jsonb, interval) is
'The policy of a run of a workflow: what start() says, one attempt where it says none; refuses what is malformed or unknown.';
revoke all on function tenure_private.run_settings(
    text, text, int, interval, interval, int, jsonb, interval
) from public;

-- sql/functions/private/schema_facts.sql
create or replace function tenure_private.schema_facts(p_schemas oid[])
returns setof tenure_private.fact
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    return query
    select format('schema %s', n.nspname), f.aspect, f.fact
    from pg_namespace as n
    cross join lateral (values
        ('owner', pg_get_userbyid(n.nspowner)::text),
        ('grants', tenure_private.grants(coalesce(n.nspacl, acldefault('n', n.nspowner)))),
        ('comment', obj_description(n.oid, 'pg_namespace'))
    ) as f (aspect, fact)
    where n.oid = any(p_schemas);

    return query
    select format('type %s', t.oid::regtype), f.aspect, f.fact
    from pg_type as t
    left join pg_class as c on c.oid = t.typrelid
    cross join lateral (values
        ('owner', pg_get_userbyid(t.typowner)::text),
        ('grants', tenure_private.grants(coalesce(t.typacl, acldefault('T', t.typowner)))),
        ('kind', concat_ws(' ', t.typtype, nullif(t.typbasetype, 0)::regtype)),
        ('comment', obj_description(t.oid, 'pg_type'))
    ) as f (aspect, fact)
    -- Row types and array types come with what they belong to.
    where t.typnamespace = any(p_schemas) and coalesce(c.relkind, 'c') = 'c'
        and not exists (select from pg_type as e where e.typarray = t.oid);

    return query
    select
        format('default privileges of %s on %s', pg_get_userbyid(d.defaclrole), d.defaclobjtype),
        format('in %s', coalesce(nullif(d.defaclnamespace, 0)::regnamespace::text, 'all schemas')),
        tenure_private.grants(d.defaclacl)
    from pg_default_acl as d
    where d.defaclnamespace = any(p_schemas) or (d.defaclnamespace = 0 and d.defaclrole = 'tenure_owner'::regrole);

    -- Operators, collations and whatever else can be put into a schema: what has no facts of its own.
    return query
    select format('%s %s', i.type, i.identity), 'presence', 'there'
    from pg_depend as d
    cross join lateral pg_identify_object(d.classid, d.objid, d.objsubid) as i
    join pg_namespace as n on n.nspname = i.schema
    -- The name of a schema in a view makes the view depend on it; that puts nothing into it.
    where d.refclassid = 'pg_namespace'::regclass and d.refobjid = n.oid and n.oid = any(p_schemas)
        and d.classid not in (
            'pg_class'::regclass, 'pg_proc'::regclass, 'pg_type'::regclass, 'pg_constraint'::regclass,
            'pg_default_acl'::regclass
        );
end
$function$;
comment on function tenure_private.schema_facts(oid[]) is 'The part of catalogue() about schemas, types and what is neither function nor relation.';
revoke all on function tenure_private.schema_facts(oid[]) from public;

-- sql/functions/private/seed_facts.sql
create or replace function tenure_private.seed_facts()
returns setof tenure_private.fact
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- That they are there, and not what they hold, which may be changed.
begin
    return query
    select format('row %s', r.name), 'presence', 'there'
    from (
        select format('%s of tenure_private.setting', s.name) from tenure_private.setting as s
        union all select 'default of tenure_private.queue' from tenure_private.queue as q where q.name = 'default'
        union all select 'of tenure_private.high_clock' from tenure_private.high_clock
        union all select 'of tenure_private.installation' from tenure_private.installation
    ) as r (name);
end
$function$;
comment on function tenure_private.seed_facts() is 'The part of catalogue() about the rows that the install makes, without which the engine does not work.';
revoke all on function tenure_private.seed_facts() from public;

-- sql/functions/private/set_group_limits.sql
create or replace function tenure_private.set_group_limits(p_run_id bigint)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_mergejoin = off
set enable_hashjoin = off
as $function$
-- By arrays of ids, as end_overdue(): level by level.
-- Locks: what it changes, tried. Callers who made clocks begin anew have locked it all.
declare
    v_level bigint [] := array[p_run_id];
    v_member_ids bigint [];
begin
    loop
        v_member_ids := array(
            select m.step_id
            from tenure_private.step as g
            join tenure_private.member as m on m.group_id = g.step_id and m.attempt = g.attempt
            where g.step_id = any(v_level)
        );
        exit when v_member_ids = '{}';
        update tenure_private.step as s
        set group_limit_at = l.at
        from (
            select c.step_id, tenure_private.limit_below(g) as at
            from tenure_private.step as c
            join tenure_private.step as g on g.step_id = c.parent_id
            where c.step_id = any(v_member_ids) and c.finished_at is null
                and c.group_limit_at is distinct from tenure_private.limit_below(g)
            order by c.step_id
            for no key update of c skip locked
        ) as l
        where s.step_id = l.step_id;
        v_level := array(
            select s.step_id from tenure_private.step as s where s.step_id = any(v_member_ids) and s.tree
        );
    end loop;
end
$function$;
comment on function tenure_private.set_group_limits(bigint) is
'Sets anew what the limits of the groups of a run mean for the unfinished children in them.';
revoke all on function tenure_private.set_group_limits(bigint) from public;

-- sql/functions/private/set_limits.sql
create or replace function tenure_private.set_limits(p_step_ids bigint[])
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    update tenure_private.step as s
    set deadline_at = n.nearest_at,
        timeout = n.timeout
    from (
        select
            l.step_id,
            min(l.entered_at + l.span) as nearest_at,
            min(l.span) filter (where l.entered_at is null) as timeout
        from tenure_private.layer as l
        where l.step_id = any(p_step_ids)
        group by l.step_id
    ) as n
    where s.step_id = n.step_id;
end
$function$;
comment on function tenure_private.set_limits(bigint[]) is
'Puts the limits of steps with layers where claims, reports and alarms look for them: the nearest into deadline_at, that of each execution into timeout.';
revoke all on function tenure_private.set_limits(bigint[]) from public;

-- sql/functions/private/settle.sql
create or replace function tenure_private.settle(
    p_step_ids bigint[], p_owner text, p_generations bigint[], p_outputs jsonb[], p_ask tenure_private.ask
)
returns setof tenure.verdict
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- Locks: the runs of children shared, in order of run; then the steps by id. Only then is the clock read.
-- Completions in time are decided for the whole batch at once; whatever else there is, one by one.
declare
    v_now timestamptz;
    v_done bigint [];
    v_outputs jsonb [];
    v_rest bigint [];
    v_rest_generations bigint [];
    v_step tenure_private.step;
    v_ended bigint [] := array[]::bigint [];
    v_publishes boolean := false;
    v_trees boolean;
    v_children boolean;
    v_hidden_ids bigint [];
begin
    if exists (select from tenure_private.queue_grant as g) then
        v_hidden_ids := tenure_private.hidden_steps(p_step_ids);
    end if;
    if v_hidden_ids <> '{}' then
        return query
        select v.step_id, v.verdict
        from tenure_private.settle_shown(p_step_ids, p_owner, p_generations, p_outputs, p_ask, v_hidden_ids) as v;
        return;
    end if;
    v_children := tenure_private.lock_run_shared(p_step_ids);
    if v_children then
        select exists (
            select from tenure_private.step as s where s.step_id = any(p_step_ids) and s.node_id is not null
        ) into strict v_publishes;
    end if;
    if p_ask.verb = 'complete' and not v_publishes
        and tenure_private.complete_at_once(p_step_ids, p_owner, p_generations, p_outputs)
    then
        if v_children then
            perform tenure_private.note_ends(p_step_ids);
        end if;
        return query select u.step_id, 'completed' from unnest(p_step_ids) as u (step_id);
        return;
    elsif cardinality(p_step_ids) > (select count(distinct u.step_id) from unnest(p_step_ids) as u (step_id)) then
        -- A step that is given more than once: its reports one after the other.
        return query
        select v.step_id, v.verdict
        from (
            select u.step_id, u.generation, u.output
            from unnest(p_step_ids, p_generations, p_outputs) with ordinality as u (step_id, generation, output, n)
            order by u.step_id, u.n
        ) as u
        cross join lateral tenure_private.settle(
            array[u.step_id], p_owner, array[u.generation], array[u.output], p_ask
        ) as v;
        return;
    end if;
    with locked as materialized (
        select
            u.step_id, u.generation, u.output, least(s.deadline_at, s.group_limit_at) as ends_at, s.started_at,
            s.timeout, s.progress_at, s.progress_timeout, s.tree,
            s.state = 'running' and s.lease_owner = p_owner and s.lease_generation = u.generation as held
        from unnest(p_step_ids, p_generations, p_outputs) as u (step_id, generation, output)
        join tenure_private.step as s on s.step_id = u.step_id
        -- Said twice, so that the index is read once for all and not for each.
        where s.step_id = any(p_step_ids)
        order by s.step_id
        for no key update of s
    ),
    instant as materialized (
        -- The count makes the clock wait for the last lock.
        select tenure_private.clock() as now from (select count(*) as n from locked) as c where c.n >= 0
    ),
    judged as (
        select
            l.step_id, l.generation, l.output, i.now, l.tree,
            p_ask.verb = 'complete' and l.held and tenure_private.limit_passed(
                i.now, l.ends_at, l.started_at, l.timeout, l.progress_at, l.progress_timeout
            ) is null as completes
        from instant as i
        cross join locked as l
    )
    select
        max(j.now),
        array_agg(j.step_id) filter (where j.completes),
        array_agg(j.output) filter (where j.completes),
        array_agg(j.step_id) filter (where not j.completes),
        array_agg(j.generation) filter (where not j.completes),
        bool_or(j.tree)
    into strict v_now, v_done, v_outputs, v_rest, v_rest_generations, v_trees
    from judged as j;

    if v_done is not null and v_publishes then
        return query
        select v.step_id, v.verdict from tenure_private.complete_nodes(v_done, v_outputs, v_now, p_owner) as v;
    elsif v_done is not null then
        perform tenure_private.land(v_done, v_outputs, tenure_private.completion(), v_now, p_ask.verb, p_owner);
        return query select u.step_id, 'completed' from unnest(v_done) as u (step_id);
    end if;
    for i in 1 .. coalesce(cardinality(v_rest), 0) loop
        select s.* into v_step from tenure_private.step as s where s.step_id = v_rest[i];
        return query
        select v_rest[i], tenure_private.settle_one(v_step, p_owner, v_rest_generations[i], v_now, p_ask);
        if v_step.state = 'running' and (v_children or v_step.tree) then
            v_ended := v_ended || v_rest[i];
        end if;
    end loop;
    if v_children or v_trees or v_ended <> '{}' then
        perform tenure_private.note_ends(v_done || v_ended);
    end if;
    if coalesce(cardinality(v_done), 0) + coalesce(cardinality(v_rest), 0) < cardinality(p_step_ids) then
        return query
        select u.step_id, 'stale'
        from unnest(p_step_ids) as u (step_id)
        where not exists (select from tenure_private.step as s where s.step_id = u.step_id);
    end if;
end
$function$;
comment on function tenure_private.settle(bigint[], text, bigint[], jsonb[], tenure_private.ask) is
'Ends executions on their worker''s report: every report, single or batch, comes through here. One verdict for each, in no order; a step that is not there is stale.';
revoke all on function tenure_private.settle(bigint[], text, bigint[], jsonb[], tenure_private.ask) from public;

-- sql/functions/private/settle_one.sql
create or replace function tenure_private.settle_one(
    p_step tenure_private.step,
    p_owner text,
    p_generation bigint,
    p_now timestamptz,
    p_ask tenure_private.ask
)
returns text
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_outcome tenure_private.outcome;
begin
    v_outcome := tenure_private.decide(p_step, p_owner, p_generation, p_now, p_ask);
    -- By itself: what publishes must not stand in a condition with another, which may be NULL and leaves the order
    -- open.
    if v_outcome.state = 'skipped' then
        if not tenure_private.publish(p_step, null, false) then
            v_outcome := tenure_private.consume_attempt(
                p_step, p_now, null, 'output_conflict', tenure_private.output_conflict(p_step), null
            );
        end if;
    end if;
    if v_outcome.state is not null then
        perform tenure_private.land_one(p_step, v_outcome, p_now, p_ask.verb, p_owner);
    elsif p_step.state <> 'running' and p_step.lease_owner = p_owner and p_step.lease_generation = p_generation then
        -- The body of a step that was ended from outside has come back: nothing is in flight any more.
        update tenure_private.step as s set lease_owner = null, lease_expiry = null where s.step_id = p_step.step_id;
    end if;
    return v_outcome.verdict;
end
$function$;
comment on function tenure_private.settle_one(
    tenure_private.step, text, bigint, timestamptz, tenure_private.ask
) is 'settle() for one locked step that does not simply complete: its verdict.';
revoke all on function tenure_private.settle_one(
    tenure_private.step, text, bigint, timestamptz, tenure_private.ask
) from public;

-- sql/functions/private/settle_shown.sql
create or replace function tenure_private.settle_shown(
    p_step_ids bigint[],
    p_owner text,
    p_generations bigint[],
    p_outputs jsonb[],
    p_ask tenure_private.ask,
    p_hidden_ids bigint[]
)
returns setof tenure.verdict
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    return query
    select u.step_id, 'stale' from unnest(p_step_ids) as u (step_id) where u.step_id = any(p_hidden_ids);
    return query
    with shown as materialized (
        select
            array_agg(u.step_id order by u.n) as step_ids,
            array_agg(u.generation order by u.n) as generations,
            array_agg(u.output order by u.n) as outputs
        from unnest(p_step_ids, p_generations, p_outputs) with ordinality as u (step_id, generation, output, n)
        where u.step_id <> all(p_hidden_ids)
    )
    select v.step_id, v.verdict
    from shown as s
    cross join lateral tenure_private.settle(s.step_ids, p_owner, s.generations, s.outputs, p_ask) as v
    where s.step_ids is not null;
end
$function$;
comment on function tenure_private.settle_shown(
    bigint[], text, bigint[], jsonb[], tenure_private.ask, bigint[]
) is 'settle() for a batch of which the caller may not use some: those are stale, like steps that are not there.';
revoke all on function tenure_private.settle_shown(
    bigint[], text, bigint[], jsonb[], tenure_private.ask, bigint[]
) from public;

-- sql/functions/private/settle_verdict.sql
create or replace function tenure_private.settle_verdict(
    p_step_id bigint, p_owner text, p_generation bigint, p_output jsonb, p_ask tenure_private.ask
)
returns text
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_verdict text;
begin
    perform tenure_private.check_pairs(array[p_step_id], p_owner, array[p_generation]);
    select v.verdict into strict v_verdict
    from tenure_private.settle(array[p_step_id], p_owner, array[p_generation], array[p_output], p_ask) as v;
    return v_verdict;
end
$function$;
comment on function tenure_private.settle_verdict(bigint, text, bigint, jsonb, tenure_private.ask) is
'settle() for one step: its verdict.';
revoke all on function tenure_private.settle_verdict(bigint, text, bigint, jsonb, tenure_private.ask) from public;

-- sql/functions/private/settled.sql
create or replace function tenure_private.settled(p_group_ids bigint[])
returns bigint[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- volatile: asked in the middle of a fold, it must see what that has just written.
-- The count spares looking at ten thousand children each time. It leaves out those started by handlers, is not kept
-- while children are being called off, and does not know which are blocked; elements of a map never are.
declare
    v_group_ids bigint [];
begin
    select coalesce(array_agg(g.step_id order by g.step_id), '{}') into strict v_group_ids
    from tenure_private.step_group as g
    join tenure_private.step as s on s.step_id = g.step_id and s.state = 'waiting_steps'
    cross join lateral (select g.ending is not null or (g.error_kind is not null and not g.maps) as looks) as l
    where g.step_id = any(p_group_ids) and not g.doomed and (g.open <= 0 or l.looks)
        and not exists (
            select
            from tenure_private.member as m
            join tenure_private.step as c on c.step_id = m.step_id and c.finished_at is null
            where m.group_id = g.step_id and m.attempt = s.attempt and (m.node_id = 0 or l.looks)
                and (g.ending is not null or c.reason is distinct from 'blocked')
        );
    return v_group_ids;
end
$function$;
comment on function tenure_private.settled(bigint[]) is 'Those of these groups that have no unfinished child, or none but blocked ones.';
revoke all on function tenure_private.settled(bigint[]) from public;

-- sql/functions/private/share_out.sql
create or replace function tenure_private.share_out(
    p_lane tenure_private.open_track[], p_picked bigint[], p_room int, p_now timestamptz
)
returns tenure_private.share[]
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- Of n wanted steps none can be in a track whose first step comes after the first steps of n other tracks.
declare
    v_shares tenure_private.share [];
begin
    if cardinality(p_lane) = 1 then
        return array[row(p_lane[1].track_id, p_lane[1].head, p_room)::tenure_private.share];
    end if;
    with first as materialized (
        select t.track_id, t.head
        from unnest(p_lane) as t
        cross join lateral (
            select s.scheduled_at, s.step_id
            from tenure_private.step as s
            where s.track_id = t.track_id and s.state = 'available' and s.scheduled_at >= t.head
                and s.scheduled_at <= p_now
                and tenure_private.in_time(p_now, least(s.deadline_at, s.group_limit_at), s.start_by)
                and s.step_id <> all(p_picked)
            order by s.scheduled_at, s.step_id
            limit 1
        ) as s
        order by s.scheduled_at, s.step_id
        limit p_room
    ),
    merged as (
        select f.track_id, f.head
        from first as f
        cross join lateral (
            select s.scheduled_at, s.step_id
            from tenure_private.step as s
            where s.track_id = f.track_id and s.state = 'available' and s.scheduled_at >= f.head
                and s.scheduled_at <= p_now
                and tenure_private.in_time(p_now, least(s.deadline_at, s.group_limit_at), s.start_by)
                and s.step_id <> all(p_picked)
            order by s.scheduled_at, s.step_id
            limit p_room
        ) as s
        order by s.scheduled_at, s.step_id
        limit p_room
    )
    select array_agg(g) into strict v_shares
    from (select m.track_id, m.head, count(*)::int as wanted from merged as m group by m.track_id, m.head) as n
    cross join lateral (select row(n.track_id, n.head, n.wanted)::tenure_private.share as g) as g;
    return v_shares;
end
$function$;
comment on function tenure_private.share_out(tenure_private.open_track[], bigint[], int, timestamptz) is
'How many of the next p_room due steps of a lane lie in each of its tracks; NULL: none is due.';
revoke all on function tenure_private.share_out(tenure_private.open_track[], bigint[], int, timestamptz) from public;

-- sql/functions/private/shift_layers.sql
create or replace function tenure_private.shift_layers(p_run_id bigint, p_now timestamptz)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    update tenure_private.layer as l
    set entered_at = l.entered_at + greatest(p_now - s.paused_at, interval '0')
    from tenure_private.step as s
    where s.root_id = p_run_id and s.parent_id is not null and s.state = 'paused' and l.step_id = s.step_id
        and l.entered_at is not null;
end
$function$;
comment on function tenure_private.shift_layers(bigint, timestamptz) is
'Moves the clocks of layers on by the time for which their steps were paused; before these are resumed.';
revoke all on function tenure_private.shift_layers(bigint, timestamptz) from public;

-- sql/functions/private/step_name.sql
create or replace function tenure_private.step_name(p_track_id int)
returns text
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_name text;
begin
    select t.name into strict v_name from tenure_private.track as t where t.track_id = p_track_id;
    return v_name;
end
$function$;
comment on function tenure_private.step_name(int) is 'The step name of a track.';
revoke all on function tenure_private.step_name(int) from public;

-- sql/functions/private/storable_error.sql
create or replace function tenure_private.storable_error(p_error jsonb)
returns jsonb
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
as $function$
-- 64 kB in all. The end of a traceback says more than its beginning; a message is read from its start.
declare
    v_type constant text = p_error ->> 'type';
    v_message constant text = coalesce(p_error ->> 'message', p_error #>> '{}');
    v_traceback constant text = p_error ->> 'traceback';
    v_share constant int = case when octet_length(p_error::text) > length(p_error::text) then 7000 else 28000 end;
begin
    if p_error is null then
        return jsonb_build_object('type', 'Error', 'message', 'no error was given');
    elsif tenure_private.document_size(p_error) <= 65536 then
        return p_error;
    end if;
    return jsonb_strip_nulls(jsonb_build_object(
        'type', left(v_type, 1000), 'message', left(v_message, v_share), 'traceback', right(v_traceback, v_share),
        'cut', true
    ));
end
$function$;
comment on function tenure_private.storable_error(jsonb) is
'An error document of at most 64 kB: a larger one is cut to type, message and traceback and says "cut": true. Never refuses.';
revoke all on function tenure_private.storable_error(jsonb) from public;

-- sql/functions/private/take_events.sql
create or replace function tenure_private.take_events(p_run_id bigint)
returns bigint[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_step_ids bigint [];
begin
    with taken as (delete from tenure_private.event as e where e.run_id = p_run_id returning e.step_ids)
    select coalesce(array_agg(distinct u.step_id order by u.step_id), '{}') into strict v_step_ids
    from taken as t
    cross join unnest(t.step_ids) as u (step_id);
    return v_step_ids;
end
$function$;
comment on function tenure_private.take_events(bigint) is 'Takes what was noted for the next fold of a run.';
revoke all on function tenure_private.take_events(bigint) from public;

-- sql/functions/private/take_key.sql
create or replace function tenure_private.take_key(
    p_kind text, p_name text, p_key text, p_step_id bigint, p_now timestamptz
)
returns bigint
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- The insert waits for a racing one to commit or roll back: only a committed row is proof that the job exists.
declare
    v_found tenure_private.idempotency;
begin
    loop
        select i.* into v_found
        from tenure_private.idempotency as i
        where i.kind = p_kind and i.name = p_name and i.key = p_key;
        if v_found.step_id is null then
            insert into tenure_private.idempotency (kind, name, key, step_id)
            values (p_kind, p_name, p_key, p_step_id)
            on conflict on constraint idempotency_pkey do nothing;
            exit when found;
        elsif v_found.expires_at is null or v_found.expires_at > p_now then
            return v_found.step_id;
        else
            update tenure_private.idempotency as i set step_id = p_step_id, expires_at = null
            where i.kind = p_kind and i.name = p_name and i.key = p_key and i.step_id = v_found.step_id;
            exit when found;
        end if;
    end loop;
    return p_step_id;
end
$function$;
comment on function tenure_private.take_key(text, text, text, bigint, timestamptz) is
'Gives an idempotency key to a new step, or answers which one has it. kind: step, workflow or, of a child that a step starts, whose it is.';
revoke all on function tenure_private.take_key(text, text, text, bigint, timestamptz) from public;

-- sql/functions/private/take_keys.sql
create or replace function tenure_private.take_keys(p_items jsonb, p_new_ids bigint[], p_now timestamptz)
returns bigint[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_ids bigint [] := p_new_ids;
    r_item record;
begin
    for r_item in
        select i.n, i.item ->> 'name' as name, i.item ->> 'idempotency_key' as key
        from jsonb_array_elements(p_items) with ordinality as i (item, n)
        where i.item ->> 'idempotency_key' is not null
        order by i.item ->> 'name' collate "C", i.item ->> 'idempotency_key' collate "C", i.n
    loop
        perform tenure_private.check_name(r_item.name, 'name');
        perform tenure_private.check_name(r_item.key, 'idempotency_key');
        v_ids[r_item.n] := tenure_private.take_key('step', r_item.name, r_item.key, p_new_ids[r_item.n], p_now);
    end loop;
    return v_ids;
end
$function$;
comment on function tenure_private.take_keys(jsonb, bigint[], timestamptz) is
'Which step each element of an enqueue_many stands for: its own new one, or the one that has its key.';
revoke all on function tenure_private.take_keys(jsonb, bigint[], timestamptz) from public;

-- sql/functions/private/take_signal.sql
create or replace function tenure_private.take_signal(p_run_id bigint, p_step_id bigint, p_key text, p_signal text)
returns boolean
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_seq bigint;
    v_payload jsonb;
begin
    if not exists (
        select from tenure_private.wait as w where w.step_id = p_step_id and w.key = p_key and w.outcome is null
    ) then
        return false;
    end if;
    select s.seq, s.payload into v_seq, v_payload
    from tenure_private.signal as s
    where s.run_id = p_run_id and s.signal = p_signal
    order by s.seq
    limit 1;
    if v_seq is null then
        return false;
    end if;
    delete from tenure_private.signal as s where s.run_id = p_run_id and s.signal = p_signal and s.seq = v_seq;
    update tenure_private.wait as w set outcome = 'arrived', payload = v_payload
    where w.step_id = p_step_id and w.key = p_key;
    return true;
end
$function$;
comment on function tenure_private.take_signal(bigint, bigint, text, text) is
'Gives the oldest kept signal of this name to an open wait; true when there was one. The run is locked by the caller.';
revoke all on function tenure_private.take_signal(bigint, bigint, text, text) from public;

-- sql/functions/private/text_member.sql
create or replace function tenure_private.text_member(p_object jsonb, p_member text)
returns text
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_value constant jsonb = nullif(p_object -> p_member, 'null');
begin
    if jsonb_typeof(v_value) <> 'string' then
        perform tenure_private.refuse(
            'argument_invalid', format('%s is no text', p_member),
            format('Given: %s.', left(v_value::text, 200)), 'Give a JSON string.'
        );
    elsif v_value is not null then
        perform tenure_private.check_name(v_value #>> '{}', p_member);
    end if;
    return v_value #>> '{}';
end
$function$;
comment on function tenure_private.text_member(jsonb, text) is
'A member that is a name; NULL where it is not given. Refuses other types (TN007) and bad names (TN005).';
revoke all on function tenure_private.text_member(jsonb, text) from public;

-- sql/functions/private/time_left.sql
create or replace function tenure_private.time_left(
    p_now timestamptz, p_deadline_at timestamptz, p_started_at timestamptz, p_timeout interval
)
returns interval
language sql stable parallel safe
as $function$
-- Unpinned and plain, so that the planner inlines it.
select case when p_deadline_at is not null or p_timeout is not null then
    greatest(least(p_deadline_at, p_started_at + p_timeout), p_now) - p_now
end;
$function$;
comment on function tenure_private.time_left(timestamptz, timestamptz, timestamptz, interval) is
'How long a running step still has until its timeout or deadline: never negative, NULL without either.';
revoke all on function tenure_private.time_left(timestamptz, timestamptz, timestamptz, interval) from public;

-- sql/functions/private/too_large.sql
create or replace function tenure_private.too_large(p_bytes bigint)
returns boolean
language sql immutable parallel safe
as $function$
select p_bytes > 200000000;
$function$;
comment on function tenure_private.too_large(bigint) is
'Whether documents of so many bytes may not be put into one: PostgreSQL''s own bound is 256 MB, and its error would stop every claim.';
revoke all on function tenure_private.too_large(bigint) from public;

-- sql/functions/private/turn_back.sql
create or replace function tenure_private.turn_back(p_now timestamptz, p_seen timestamptz)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- Whatever bears an instant later than now was written by the old clock: its limits and timers are moved back by as
-- much as the clock was, so that each keeps the time that it had left. A lease that is not renewed soon expires.
-- scheduled_at is the caller's and stays, unless it had come already: by the last sweep, or when the step was made.
declare
    v_by constant interval = p_seen - p_now;
    v_ids bigint [];
begin
    with moved as (
        update tenure_private.step as s
        -- By comparing, for least() passes over NULLs.
        set started_at = case when s.started_at > p_now then p_now else s.started_at end,
            heartbeat_at = case when s.heartbeat_at > p_now then p_now else s.heartbeat_at end,
            progress_at = case when s.progress_at > p_now then p_now else s.progress_at end,
            paused_at = case when s.paused_at > p_now then p_now else s.paused_at end,
            lease_expiry = case
                when s.lease_expiry > p_now + s.lease_ttl then p_now + s.lease_ttl else s.lease_expiry
            end,
            scheduled_at = case
                when s.scheduled_at between p_now and greatest(p_seen, s.created_at) then p_now
                when s.scheduled_at > p_seen and (s.heartbeat_at > p_now or b.backs_off) then s.scheduled_at - v_by
                else s.scheduled_at
            end,
            due_at = case
                when b.backs_off or exists (
                    select from tenure_private.wait as w
                    where w.step_id = s.step_id and w.outcome is null and w.created_at > p_now
                ) then s.due_at - v_by
                else s.due_at
            end,
            deadline_at = case when s.created_at > p_now then s.deadline_at - v_by else s.deadline_at end,
            start_by = case when s.created_at > p_now then s.start_by - v_by else s.start_by end,
            alarm_at = case when s.alarm_at is not null then p_now end
        from (
            select
                l.step_id,
                l.tree and l.started_at > p_now
                    and 'waiting_timer' in (l.state, coalesce(l.paused_state, l.state)) as backs_off
            from tenure_private.step as l
            where l.finished_at is null
                and (
                    greatest(l.alarm_at, l.created_at, l.started_at, l.heartbeat_at, l.paused_at) > p_now
                    or l.scheduled_at between p_now and p_seen
                )
            order by l.step_id
            for no key update skip locked
        ) as b
        where s.step_id = b.step_id
        returning s.step_id
    )
    select coalesce(array_agg(m.step_id), '{}') into strict v_ids from moved as m;
    update tenure_private.layer as l set entered_at = l.entered_at - v_by
    where l.step_id = any(v_ids) and l.entered_at > p_now;
    perform tenure_private.set_limits(v_ids);
    perform tenure_private.set_group_limits(s.step_id)
    from tenure_private.step as s
    where s.tree and s.parent_id is null and s.finished_at is null and s.state <> 'paused';
    insert into tenure_private.head (track_id, head)
    select h.track_id, '-infinity' from tenure_private.head as h group by h.track_id;
end
$function$;
comment on function tenure_private.turn_back(timestamptz, timestamptz) is
'After the clock was set back from p_seen to p_now: alarms, unrenewed leases, timers and limits are set anew. Reads the whole table; this happens once.';
revoke all on function tenure_private.turn_back(timestamptz, timestamptz) from public;

-- sql/functions/private/unfinished_under.sql
create or replace function tenure_private.unfinished_under(p_group_id bigint)
returns bigint[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- volatile: asked in the middle of a fold, it must see what that has just written.
-- By arrays of ids, as end_overdue(): level by level.
declare
    v_level bigint [] := array[p_group_id];
    v_under bigint [] := array[]::bigint [];
    v_member_ids bigint [];
begin
    loop
        v_member_ids := array(select m.step_id from tenure_private.member as m where m.group_id = any(v_level));
        v_level := array(
            select s.step_id
            from tenure_private.step as s
            where s.step_id = any(v_member_ids) and s.finished_at is null
        );
        exit when v_level = '{}';
        v_under := v_under || v_level;
    end loop;
    return array(select u.step_id from unnest(v_under) as u (step_id) order by u.step_id);
end
$function$;
comment on function tenure_private.unfinished_under(bigint) is 'The unfinished steps below a group, at any depth, in order of id.';
revoke all on function tenure_private.unfinished_under(bigint) from public;

-- sql/functions/private/unopened.sql
create or replace function tenure_private.unopened(p_group_ids bigint[])
returns bigint[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- volatile: asked in the middle of a fold, it must see what that has just written.
declare
    v_group_ids bigint [];
begin
    select coalesce(array_agg(s.step_id order by s.step_id), '{}') into strict v_group_ids
    from tenure_private.step as s
    where s.step_id = any(p_group_ids) and s.state = 'pending' and (s.node_id is null or s.position is not null);
    return v_group_ids;
end
$function$;
comment on function tenure_private.unopened(bigint[]) is
'Those of these groups that have no children and no keys to wait for: runs, and elements of maps.';
revoke all on function tenure_private.unopened(bigint[]) from public;

-- sql/functions/private/wake.sql
create or replace function tenure_private.wake(p_track_id int)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- A notifying commit takes a lock of the whole cluster, so nobody is notified unless somebody waits, and each
-- waiter once: its row goes with the notification. A row that another transaction is taking is passed over.
declare
    v_queue text;
    v_waiter_id bigint;
    v_channel text;
    v_now constant timestamptz = tenure_private.clock();
begin
    if not exists (select from tenure_private.waiter as w where w.expires_at > v_now) then
        return;
    end if;
    select q.name into strict v_queue
    from tenure_private.track as t
    join tenure_private.queue as q on q.queue_id = t.queue_id
    where t.track_id = p_track_id;
    select w.waiter_id, w.channel into v_waiter_id, v_channel
    from tenure_private.waiter as w
    where w.expires_at > v_now and v_queue = any(w.queues)
    limit 1
    for update skip locked;
    if v_waiter_id is not null then
        delete from tenure_private.waiter as w where w.waiter_id = v_waiter_id;
        perform pg_notify(v_channel, 'work');
    end if;
end
$function$;
comment on function tenure_private.wake(int) is 'Notifies one idle worker of the track''s queue, if there is one.';
revoke all on function tenure_private.wake(int) from public;

-- sql/functions/private/was_consumed.sql
create or replace function tenure_private.was_consumed(p_error_kind text)
returns int
language sql immutable parallel safe
as $function$
select case
    when p_error_kind in ('retryable', 'permanent', 'uncertain', 'timeout', 'progress', 'output_conflict') then 1
    else 0
end;
$function$;
comment on function tenure_private.was_consumed(text) is
'1 if a step discarded by this kind had used up its last attempt, else 0: by deadline, start_within and reclaim_limit none is.';
revoke all on function tenure_private.was_consumed(text) from public;

-- sql/functions/private/watch_clock.sql
create or replace function tenure_private.watch_clock()
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- One row, written at most once a second, and never waited for: another sweep is doing the same. The clock is read
-- after the row: read before, a session that was held up in between would take another's later clock for a step back.
declare
    v_now timestamptz;
    v_seen timestamptz;
begin
    select h.seen_at into v_seen from tenure_private.high_clock as h;
    v_now := tenure_private.clock();
    if v_now between v_seen - interval '1 second' and v_seen + interval '1 second' then
        return;
    end if;
    perform from tenure_private.high_clock as h where h.seen_at = v_seen for no key update skip locked;
    if not found then
        return;
    end if;
    update tenure_private.high_clock as h set seen_at = v_now where h.seen_at = v_seen;
    if v_now < v_seen then
        perform tenure_private.turn_back(v_now, v_seen);
    end if;
end
$function$;
comment on function tenure_private.watch_clock() is
'Notices a clock that was set back by more than a second, and then has everything that was set by the old clock set anew.';
revoke all on function tenure_private.watch_clock() from public;

-- sql/functions/private/with_policy.sql
create or replace function tenure_private.with_policy(
    p_settings tenure_private.settings, p_policy tenure_private.settings
)
returns tenure_private.settings
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_settings tenure_private.settings := p_settings;
begin
    v_settings.timeout := p_policy.timeout;
    v_settings.deadline := p_policy.deadline;
    v_settings.layers := p_policy.layers;
    v_settings.bound := p_policy.bound;
    if p_policy.max_attempts is not null then
        v_settings.max_attempts := p_policy.max_attempts;
        v_settings.backoff := p_policy.backoff;
    end if;
    return v_settings;
end
$function$;
comment on function tenure_private.with_policy(tenure_private.settings, tenure_private.settings) is
'Settings with what policy_settings() made of the layers around a child; where there is none its attempts stay as they are.';
revoke all on function tenure_private.with_policy(tenure_private.settings, tenure_private.settings) from public;

-- sql/functions/private/within_quotas.sql
create or replace function tenure_private.within_quotas(p_tracks tenure_private.open_track[], p_now timestamptz)
returns tenure_private.open_track[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- volatile: it locks what it reads.
-- Looked at without a lock first, so that a claim which finds a quota full, or nothing due that needs it, writes
-- nothing and stands in nobody's way. What counts is what ration() counts under the locks taken here, by a snapshot
-- younger than they are: all that was claimed under the quota before is committed then, and nobody else can claim.
-- Locks: the rows of these quotas in order of name, tried.
declare
    v_quota_ids int [];
    v_tracks tenure_private.open_track [];
    v_locked int [];
begin
    select array_agg(u.quota_id) into strict v_quota_ids
    from unnest(p_tracks) as t
    join tenure_private.track as k on k.track_id = t.track_id
    cross join unnest(k.quota_ids) as u (quota_id);
    v_tracks := tenure_private.fit_tracks(p_tracks, v_quota_ids);
    select array_agg(u.quota_id) into strict v_quota_ids
    from unnest(v_tracks) as t
    join tenure_private.track as k on k.track_id = t.track_id
    cross join lateral (
        select
        from tenure_private.step as s
        where s.track_id = t.track_id and s.state = 'available' and s.scheduled_at >= t.head
            and s.scheduled_at <= p_now
            and tenure_private.in_time(p_now, least(s.deadline_at, s.group_limit_at), s.start_by)
        limit 1
    ) as s
    cross join unnest(k.quota_ids) as u (quota_id);
    if v_quota_ids is not null then
        with locked as materialized (
            select q.quota_id
            from tenure_private.quota as q
            where q.quota_id = any(v_quota_ids)
            order by q.name
            for no key update skip locked
        )
        select array_agg(l.quota_id) into strict v_locked from locked as l;
    end if;
    select array_agg(t) into strict v_tracks
    from unnest(v_tracks) as t
    join tenure_private.track as k on k.track_id = t.track_id
    where k.quota_ids is null or k.quota_ids <@ v_locked;
    return v_tracks;
end
$function$;
comment on function tenure_private.within_quotas(tenure_private.open_track[], timestamptz) is
'Of these tracks those that a claim may take from now: without a quota, or with room in all their quotas, which are locked then. A quota that another claim has locked is passed over.';
revoke all on function tenure_private.within_quotas(tenure_private.open_track[], timestamptz) from public;

-- sql/views/run_status.sql
create or replace view tenure.run_status as
select
    r.step_id as run_id,
    t.name,
    q.name as queue,
    r.state,
    t.priority,
    r.scheduled_at,
    r.created_at,
    r.started_at,
    r.finished_at,
    r.attempt,
    r.max_attempts,
    r.output,
    r.error,
    r.error_kind,
    case when r.state = 'cancelled' then r.reason end as cancel_reason,
    (
        coalesce((r.lease_expiry >= tenure_private.clock())::int, 0)
        + (
            select count(*)
            from tenure_private.step as c
            where c.root_id = r.step_id and c.parent_id is not null and c.lease_expiry >= tenure_private.clock()
        )
    ) as in_flight
from tenure_private.step as r
join tenure_private.track as t on t.track_id = r.track_id
join tenure_private.queue as q on q.queue_id = t.queue_id
where r.parent_id is null and not r.purging;
comment on view tenure.run_status is
'Every run. in_flight: how many of its steps have an unexpired lease: those that run, and those ended from outside whose body has not reported since.';

-- sql/views/step_status.sql
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

-- sql/views/workflow_status.sql
create or replace view tenure.workflow_status as
select
    w.name,
    w.version,
    w.definition,
    w.on_failure,
    w.defined_at
from tenure_private.workflow as w;
comment on view tenure.workflow_status is 'Every version of every workflow, as it was defined. Runs begin with the newest.';

-- sql/views/attempt_log.sql
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

-- sql/views/queue_status.sql
create or replace view tenure.queue_status as
select
    q.name as queue,
    q.paused_at,
    q.timeout_default,
    q.timeout_floor,
    q.timeout_ceiling,
    q.retention,
    q.discarded_retention,
    a.depth,
    a.due,
    a.oldest_due,
    coalesce(r.in_flight, 0) as in_flight
from tenure_private.queue as q
cross join (select tenure_private.clock() as now) as c
-- Both parts are read through the partial indexes, so that finished steps cost nothing.
cross join
    lateral (
        select
            count(*) as depth,
            count(*) filter (where s.scheduled_at <= c.now) as due,
            min(s.scheduled_at) filter (where s.scheduled_at <= c.now) as oldest_due
        from tenure_private.track as t
        join tenure_private.step as s on s.track_id = t.track_id and s.state = 'available'
        where t.queue_id = q.queue_id
    ) as a
left join (
    select
        t.queue_id,
        count(*) as in_flight
    from tenure_private.step as s
    join tenure_private.track as t on t.track_id = s.track_id
    where s.alarm_at is not null and s.state = 'running'
    group by t.queue_id
) as r on r.queue_id = q.queue_id;
comment on view tenure.queue_status is
'Every queue: its settings; depth: available steps, due of them due now; oldest_due: since when the oldest of those waits; in_flight: running steps.';

-- sql/views/quota_status.sql
create or replace view tenure.quota_status as
select
    q.name as quota,
    q.capacity,
    u.in_use
from tenure_private.quota as q
-- The newest row has every running step, and others that have stopped since.
left join
    lateral (
        select h.step_ids
        from tenure_private.quota_hold as h
        where h.quota_id = q.quota_id
        order by h.seq desc
        limit 1
    ) as n
    on true
cross join
    lateral (
        select coalesce(sum(t.quota_units), 0) as in_use
        from tenure_private.step as s
        join tenure_private.track as t on t.track_id = s.track_id
        where s.step_id = any(n.step_ids) and s.state = 'running'
    ) as u;
comment on view tenure.quota_status is
'Every quota: its capacity, and in_use, the units of the steps that are running; more than the capacity where that was lowered since.';

-- sql/views/worker_status.sql
create or replace view tenure.worker_status as
select
    w.owner,
    w.queues,
    w.idle,
    w.info,
    w.hello_at,
    w.expires_at > tenure_private.clock() as alive,
    coalesce(s.in_flight, 0) as in_flight,
    w.report,
    w.reported_at
from tenure_private.worker as w
left join (
    select
        s.lease_owner,
        count(*) as in_flight
    from tenure_private.step as s
    where s.alarm_at is not null and s.state = 'running'
    group by s.lease_owner
) as s on s.lease_owner = w.owner;
comment on view tenure.worker_status is
'Every worker that said hello in the last week. alive: it did so within 15 seconds; report: what it said when it left.';

-- sql/views/lease_status.sql
create or replace view tenure.lease_status as
select
    s.lease_owner as owner,
    s.step_id,
    s.root_id as run_id,
    t.name,
    q.name as queue,
    s.state,
    s.attempt,
    s.lease_generation as generation,
    s.started_at,
    s.heartbeat_at,
    s.lease_expiry,
    s.lease_expiry < tenure_private.clock() as expired,
    s.progress,
    s.progress_at
from tenure_private.step as s
join tenure_private.track as t on t.track_id = s.track_id
join tenure_private.queue as q on q.queue_id = t.queue_id
where
    s.lease_owner is not null and not s.purging
    and (
        s.parent_id is null
        or not (
            select r.purging
            from tenure_private.step as r
            where r.step_id = s.root_id
        )
    );
comment on view tenure.lease_status is
'Every lease: of running steps, and of steps ended from outside whose body may still run.';

-- sql/views/queue_grants.sql
create or replace view tenure.queue_grants as
select
    q.name as queue,
    g.role,
    r.oid is not null as role_exists
from tenure_private.queue_grant as g
join tenure_private.queue as q on q.queue_id = g.queue_id
left join pg_catalog.pg_roles as r on r.rolname = g.role;
comment on view tenure.queue_grants is
'Which queues were granted to which roles. role_exists false: the role was dropped or renamed, and the grant keeps the queue closed all the same.';

-- sql/functions/client/enqueue.sql
create or replace function tenure.enqueue(
    name text,
    input jsonb default '{}',
    queue text default null,
    priority int default null,
    scheduled_at timestamptz default null,
    delay interval default null,
    timeout interval default null,
    deadline interval default null,
    max_attempts int default null,
    backoff jsonb default null,
    max_reclaims int default null,
    idempotency_key text default null,
    on_timeout text default null,
    headers jsonb default null,
    start_within interval default null,
    progress_timeout interval default null,
    idempotency_period interval default null
)
returns bigint
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
-- Locks: the row of its idempotency key, if it has one; it waits for a racing enqueue of the same key.
declare
    v_settings tenure_private.settings;
    v_scheduled_at timestamptz;
    v_step_id bigint;
    v_key_id bigint;
    v_now timestamptz;
begin
    -- The transaction id before the clock: see raise_head().
    perform pg_current_xact_id();
    v_now := tenure_private.clock();
    v_settings := tenure_private.resolve(
        enqueue.name, enqueue.queue, enqueue.priority, enqueue.timeout, enqueue.deadline, enqueue.max_attempts,
        enqueue.backoff, enqueue.max_reclaims, enqueue.on_timeout, enqueue.start_within, enqueue.progress_timeout,
        enqueue.idempotency_period
    );
    if exists (select from tenure_private.queue_grant as g) then
        perform tenure_private.check_queue(v_settings.queue_id, enqueue.queue);
    end if;
    v_scheduled_at := tenure_private.due_from(enqueue.scheduled_at, enqueue.delay, v_now);
    perform tenure_private.check_size('input', tenure_private.document_size(enqueue.input));
    perform tenure_private.check_headers(enqueue.headers);
    v_step_id := tenure_private.new_step_id();
    if enqueue.idempotency_key is not null then
        perform tenure_private.check_name(enqueue.idempotency_key, 'idempotency_key');
        v_key_id := tenure_private.take_key('step', enqueue.name, enqueue.idempotency_key, v_step_id, v_now);
        if v_key_id <> v_step_id then
            return v_key_id;
        end if;
        perform tenure_private.limit_keys(array[v_step_id], v_now, v_settings.idempotency_period);
    end if;
    perform tenure_private.insert_steps(
        v_settings, array[v_step_id], array[coalesce(enqueue.input, '{}')], array[enqueue.headers],
        array[v_scheduled_at], v_now
    );
    return v_step_id;
end
$function$;
comment on function tenure.enqueue(
    text, jsonb, text, int, timestamptz, interval, interval, interval, int, jsonb, int, text, text, jsonb, interval,
    interval, interval
) is
'Makes a run of one step and returns its run_id, in the caller''s transaction. NULL means: as the definition of the name says, else the queue, else the built-in default. A known idempotency_key returns the first run''s id.
priority: -100 (first) to 100. delay: from now. timeout: of one execution. deadline: of the whole step. start_within: to its first claim. max_reclaims: -1 for no bound. backoff: {"kind", "base", "factor", "cap", "jitter"} in seconds. on_timeout: abandon or wait.
Errors: TN003 queue, TN005 names, TN006 durations, TN007 other arguments, TN008 sizes, TN009 timeout out of its queue''s bounds, TN018 a queue that is not the caller''s.';
revoke all on function tenure.enqueue(
    text, jsonb, text, int, timestamptz, interval, interval, interval, int, jsonb, int, text, text, jsonb, interval,
    interval, interval
) from public;
grant execute on function tenure.enqueue(
    text, jsonb, text, int, timestamptz, interval, interval, interval, int, jsonb, int, text, text, jsonb, interval,
    interval, interval
) to tenure_client;

-- sql/functions/client/enqueue_many.sql
create or replace function tenure.enqueue_many(steps jsonb)
returns setof bigint
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
-- Steps of one policy are inserted together, and their policy is resolved once.
-- Locks: the rows of the idempotency keys, all of them first, in order of name and key.
declare
    v_now timestamptz;
    v_ids bigint [];
    v_new_ids bigint [];
    v_settings tenure_private.settings;
    r_group record;
begin
    perform tenure_private.check_items(enqueue_many.steps);
    -- The transaction id before the clock: see raise_head().
    perform pg_current_xact_id();
    v_now := tenure_private.clock();
    select array_agg(tenure_private.new_step_id()) into strict v_new_ids
    from generate_series(1, jsonb_array_length(enqueue_many.steps));
    v_ids := tenure_private.take_keys(enqueue_many.steps, v_new_ids, v_now);
    for r_group in
        with item as materialized (
            select i.n::int as n, i.item
            from jsonb_array_elements(enqueue_many.steps) with ordinality as i (item, n)
        )
        select
            i.item - array['input', 'headers', 'idempotency_key', 'scheduled_at', 'delay'] as policy,
            array_agg(v_new_ids[i.n] order by i.n) as ids,
            array_agg(coalesce(i.item -> 'input', '{}') order by i.n) as inputs,
            array_agg(nullif(i.item -> 'headers', 'null') order by i.n) as headers,
            array_agg(i.item ->> 'scheduled_at' order by i.n) as scheduled_at,
            array_agg(i.item ->> 'delay' order by i.n) as delays
        from item as i
        where v_ids[i.n] = v_new_ids[i.n]
        group by 1
    loop
        v_settings := tenure_private.resolve_policy(r_group.policy);
        perform tenure_private.check_queue(v_settings.queue_id, r_group.policy ->> 'queue');
        perform tenure_private.check_size(
            'input', (select max(pg_column_size(i.value)) from unnest(r_group.inputs) as i (value))
        );
        perform tenure_private.check_headers(h.value)
        from unnest(r_group.headers) as h (value)
        where h.value is not null;
        perform tenure_private.limit_keys(r_group.ids, v_now, v_settings.idempotency_period);
        perform tenure_private.insert_steps(
            v_settings, r_group.ids, r_group.inputs, r_group.headers,
            tenure_private.due_from_texts(r_group.scheduled_at, r_group.delays, v_now), v_now
        );
    end loop;
    return query select u.id from unnest(v_ids) with ordinality as u (id, n) order by u.n;
end
$function$;
comment on function tenure.enqueue_many(jsonb) is
'Enqueues an array of objects whose keys are the parameters of enqueue, and returns their run_ids in the order given. All or none: one malformed object refuses the call.
Errors: as enqueue; TN007 for an unknown key or a value of the wrong type.';
revoke all on function tenure.enqueue_many(jsonb) from public;
grant execute on function tenure.enqueue_many(jsonb) to tenure_client;

-- sql/functions/client/define_step.sql
create or replace function tenure.define_step(
    name text,
    queue text default null,
    priority int default null,
    timeout interval default null,
    deadline interval default null,
    max_attempts int default null,
    backoff jsonb default null,
    max_reclaims int default null,
    on_timeout text default null,
    headers jsonb default null,
    start_within interval default null,
    progress_timeout interval default null,
    idempotency_period interval default null,
    quota text default null,
    quota_units int default 1
)
returns void
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
declare
    v_settings tenure_private.settings;
    v_queue tenure_private.queue;
    v_quota tenure_private.quota;
begin
    perform tenure_private.check_name(define_step.name, 'name');
    perform tenure_private.check_headers(define_step.headers);
    v_settings := tenure_private.check_settings(
        define_step.priority, define_step.timeout, define_step.deadline, define_step.max_attempts, define_step.backoff,
        define_step.max_reclaims, define_step.on_timeout, define_step.start_within, define_step.progress_timeout,
        define_step.idempotency_period
    );
    v_queue := tenure_private.find_queue(coalesce(define_step.queue, 'default'));
    if v_settings.timeout is not null then
        perform tenure_private.check_timeout(v_queue, v_settings.timeout);
    end if;
    if define_step.quota is not null then
        v_quota := tenure_private.find_quota(define_step.quota);
    end if;
    -- What stands already is not held against a capacity that was lowered since: else no worker could start.
    if not exists (
        select
        from tenure_private.definition as d
        where d.name = define_step.name and d.quota_id = v_quota.quota_id and d.quota_units = define_step.quota_units
    ) then
        perform tenure_private.check_units(v_quota, define_step.quota_units);
    end if;
    perform tenure_private.check_definition(define_step.name, define_step.queue);
    -- Makes the usual track, so that the first enqueue of a new name has it.
    perform tenure_private.find_track(
        v_queue.queue_id, coalesce(define_step.priority, 0), define_step.name,
        case when v_quota.quota_id is not null then array[v_quota.quota_id] end,
        case when v_quota.quota_id is not null then define_step.quota_units end
    );
    insert into tenure_private.definition as d (
        name, queue, priority, timeout, deadline, max_attempts, backoff, max_reclaims, on_timeout, headers,
        start_within, progress_timeout, idempotency_period, quota_id, quota_units
    )
    values (
        define_step.name, define_step.queue, define_step.priority, v_settings.timeout, v_settings.deadline,
        v_settings.max_attempts, define_step.backoff, define_step.max_reclaims, define_step.on_timeout,
        define_step.headers, v_settings.start_within, v_settings.progress_timeout, v_settings.idempotency_period,
        v_quota.quota_id, define_step.quota_units
    )
    on conflict on constraint definition_pkey do update set (
        queue, priority, timeout, deadline, max_attempts, backoff, max_reclaims, on_timeout, headers, start_within,
        progress_timeout, idempotency_period, quota_id, quota_units
    ) = (
        excluded.queue, excluded.priority, excluded.timeout, excluded.deadline, excluded.max_attempts, excluded.backoff,
        excluded.max_reclaims, excluded.on_timeout, excluded.headers, excluded.start_within, excluded.progress_timeout,
        excluded.idempotency_period, excluded.quota_id, excluded.quota_units
    )
    -- Every worker says its definitions at its start: the same again writes nothing.
    where d is distinct from excluded;
end
$function$;
comment on function tenure.define_step(
    text, text, int, interval, interval, int, jsonb, int, text, jsonb, interval, interval, interval, text, int
) is
'Sets the defaults of a step name, replacing those set before. They hold for steps enqueued from now on; NULL: as the queue says, else the built-in default. Parameters as of enqueue. quota: each of these steps needs quota_units of it while it runs.
Errors: as enqueue; TN007 for units under 1 or above the capacity, TN015 for an unknown quota, TN018 also for a name that was defined for a queue which is not the caller''s; without a queue it is for the default one.';
revoke all on function tenure.define_step(
    text, text, int, interval, interval, int, jsonb, int, text, jsonb, interval, interval, interval, text, int
) from public;
grant execute on function tenure.define_step(
    text, text, int, interval, interval, int, jsonb, int, text, jsonb, interval, interval, interval, text, int
) to tenure_client, tenure_worker;

-- sql/functions/client/define_workflow.sql
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

-- sql/functions/client/start.sql
create or replace function tenure.start(
    workflow text,
    input jsonb default '{}',
    queue text default null,
    priority int default null,
    scheduled_at timestamptz default null,
    delay interval default null,
    timeout interval default null,
    deadline interval default null,
    max_attempts int default null,
    backoff jsonb default null,
    max_reclaims int default null,
    idempotency_key text default null,
    on_timeout text default null,
    headers jsonb default null,
    start_within interval default null,
    progress_timeout interval default null,
    idempotency_period interval default null
)
returns bigint
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
-- Locks: the row of its idempotency key, if it has one; it waits for a racing start of the same key.
declare
    v_workflow tenure_private.workflow;
    v_settings tenure_private.settings;
    v_scheduled_at timestamptz;
    v_run_id bigint;
    v_key_id bigint;
    v_now timestamptz;
begin
    -- The transaction id before the clock: see raise_head().
    perform pg_current_xact_id();
    v_now := tenure_private.clock();
    v_workflow := tenure_private.latest_workflow(start.workflow);
    perform tenure_private.check_leaf_only(
        start.max_reclaims, start.on_timeout, start.start_within, start.progress_timeout
    );
    v_settings := tenure_private.run_settings(
        start.workflow, start.queue, start.priority, start.timeout, start.deadline, start.max_attempts, start.backoff,
        start.idempotency_period
    );
    -- Once more: a workflow that it mounts may have grown.
    perform tenure_private.check_extent(v_workflow.workflow_id);
    perform tenure_private.check_run_queues(v_workflow.workflow_id, coalesce(start.queue, 'default'));
    v_scheduled_at := tenure_private.due_from(start.scheduled_at, start.delay, v_now);
    perform tenure_private.check_input(start.input);
    perform tenure_private.check_headers(start.headers);
    v_run_id := tenure_private.new_step_id();
    if start.idempotency_key is not null then
        perform tenure_private.check_name(start.idempotency_key, 'idempotency_key');
        v_key_id := tenure_private.take_key('workflow', start.workflow, start.idempotency_key, v_run_id, v_now);
        if v_key_id <> v_run_id then
            return v_key_id;
        end if;
        perform tenure_private.limit_keys(array[v_run_id], v_now, v_settings.idempotency_period);
    end if;
    perform tenure_private.insert_run(
        v_workflow, v_run_id, v_settings, coalesce(start.input, '{}'), start.headers, v_scheduled_at, v_now
    );
    perform tenure_private.fold_run(v_run_id, tenure_private.open_groups(array[v_run_id], v_now));
    return v_run_id;
end
$function$;
comment on function tenure.start(
    text, jsonb, text, int, timestamptz, interval, interval, interval, int, jsonb, int, text, text, jsonb, interval,
    interval, interval
) is
'Starts a run of the newest version of a workflow and returns its run_id, in the caller''s transaction. input: an object, whose members are the run''s first keys. queue, priority: of its steps, where neither node nor definition says any. scheduled_at, delay: of the first of them. timeout: of one attempt of the whole; deadline: of all attempts; max_attempts: how often the whole may be begun, 1 by default, after backoff. headers: handed to each step. max_reclaims, on_timeout, start_within, progress_timeout are for steps and refused.
Errors: as enqueue; TN007 input that is no object, TN018 a queue that is not the caller''s, of any of its steps; TN030 unknown workflow, TN031 one that has grown to more than 10,000 steps.';
revoke all on function tenure.start(
    text, jsonb, text, int, timestamptz, interval, interval, interval, int, jsonb, int, text, text, jsonb, interval,
    interval, interval
) from public;
grant execute on function tenure.start(
    text, jsonb, text, int, timestamptz, interval, interval, interval, int, jsonb, int, text, text, jsonb, interval,
    interval, interval
) to tenure_client;

-- sql/functions/client/signal.sql
create or replace function tenure.signal(run_id bigint, signal text, payload jsonb default null)
returns text
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
-- Locks: the run, so that a wait that begins at the same time either finds this signal or is found by it.
declare
    v_run tenure_private.step;
    v_step tenure_private.step;
    v_key text;
    v_now timestamptz;
begin
    perform tenure_private.check_name(signal.signal, 'signal');
    perform tenure_private.check_size('payload', tenure_private.document_size(signal.payload));
    v_run := tenure_private.locked_run(signal.run_id);
    v_now := tenure_private.clock();
    if v_run.finished_at is not null then
        return 'over';
    end if;
    if v_run.tree then
        perform tenure_private.lock_children(v_run.step_id);
        -- Nothing changes but the row's version: a report with an older snapshot does not get the run's lock.
        update tenure_private.step as s set tree = true where s.step_id = v_run.step_id;
    end if;
    insert into tenure_private.signal (run_id, signal, payload, created_at)
    values (v_run.step_id, signal.signal, signal.payload, v_now);
    -- The oldest wait that is open and not due to end otherwise; a paused run gets its signals at resume.
    select s.step_id, w.key into v_step.step_id, v_key
    from tenure_private.step as s
    join tenure_private.wait as w on w.step_id = s.step_id and w.outcome is null and w.signal = signal.signal
    where (s.step_id = v_run.step_id or (s.root_id = v_run.step_id and s.parent_id is not null))
        and s.state = 'waiting_signal' and (s.due_at is null or s.due_at > v_now)
        and least(s.deadline_at, s.group_limit_at) > v_now is not false
    order by w.seq
    limit 1;
    if v_key is null then
        return 'kept';
    end if;
    perform tenure_private.deliver_signal(v_step.step_id, v_key, v_now);
    return 'delivered';
end
$function$;
comment on function tenure.signal(bigint, text, jsonb) is
'Sends a signal to a run: delivered to the oldest wait for it, kept for the next one, or over when the run has ended. payload: any JSON, at most 1 MB.
Errors: TN001 unknown run, TN002 a child''s id, TN005 name, TN008 size.';
revoke all on function tenure.signal(bigint, text, jsonb) from public;
grant execute on function tenure.signal(bigint, text, jsonb) to tenure_client, tenure_operator;

-- sql/functions/client/cancel.sql
create or replace function tenure.cancel(run_id bigint, reason text default null)
returns int
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
-- Locks: the run exclusively, then its steps by id. A report that holds them is waited for; whoever is first, wins.
declare
    v_run tenure_private.step;
    v_now timestamptz;
    v_ids bigint [];
begin
    v_run := tenure_private.locked_run(cancel.run_id);
    v_ids := tenure_private.lock_steps(v_run.step_id);
    v_now := tenure_private.clock();
    select array_agg(s.step_id) into strict v_ids
    from tenure_private.step as s
    where s.step_id = any(v_ids) and s.finished_at is null;
    if v_ids is null then
        return 0;
    end if;
    perform tenure_private.call_off_steps(v_ids, cancel.reason, v_now);
    perform tenure_private.take_events(v_run.step_id);
    return cardinality(v_ids);
end
$function$;
comment on function tenure.cancel(bigint, text) is
'Sets a run and every step under it that has not ended to cancelled, at once, and returns how many; 0: it was over already. A running handler is told by notification or at its next heartbeat; run_status.in_flight tells when it is known to be gone.
Errors: TN001 unknown run, TN002 a child''s id.';
revoke all on function tenure.cancel(bigint, text) from public;
grant execute on function tenure.cancel(bigint, text) to tenure_client, tenure_operator;

-- sql/functions/client/status.sql
create or replace function tenure.status(run_id bigint)
returns tenure.run_status
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
declare
    v_status tenure.run_status;
begin
    -- Readers read the view, of whatever queue.
    if pg_has_role(tenure_private.caller(), 'tenure_reader', 'usage') then
        select r.* into v_status from tenure.run_status as r where r.run_id = status.run_id;
        if found then
            return v_status;
        end if;
    end if;
    perform tenure_private.find_run(status.run_id);
    select r.* into strict v_status from tenure.run_status as r where r.run_id = status.run_id;
    return v_status;
end
$function$;
comment on function tenure.status(bigint) is
'The row of a run in run_status. Errors: TN001 unknown run, TN002 a child''s id.';
revoke all on function tenure.status(bigint) from public;
grant execute on function tenure.status(bigint) to tenure_client, tenure_operator, tenure_reader;

-- sql/functions/client/result.sql
create or replace function tenure.result(run_id bigint)
returns jsonb
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
declare
    v_run tenure_private.step;
begin
    v_run := tenure_private.find_run(result.run_id);
    case v_run.state
        when 'completed' then
            return v_run.output;
        when 'skipped' then
            return null;
        when 'discarded' then
            perform tenure_private.refuse(
                'run_discarded',
                'the run was discarded' || case
                    when v_run.error_kind = 'retryable' then ' after its last attempt'
                    else ': ' || v_run.error_kind
                end,
                left(v_run.error::text, 10000),
                'Mend the cause, then: select tenure.retry(step_id).'
            );
        when 'cancelled' then
            perform tenure_private.refuse(
                'run_cancelled', 'the run was cancelled',
                coalesce(v_run.reason, 'No reason was given.'), 'Enqueue it anew if it is still wanted.'
            );
        else
            perform tenure_private.refuse(
                'not_finished', 'the run has not ended', format('Run %s is %s.', v_run.step_id, v_run.state),
                'Wait until its state is completed.'
            );
    end case;
    return null;
end
$function$;
comment on function tenure.result(bigint) is
'The output of a completed run; NULL when it was skipped or returned nothing.
Errors: TN011 not ended, TN012 discarded (DETAIL: the error), TN013 cancelled (DETAIL: the reason), TN001 unknown run, TN002 a child''s id.';
revoke all on function tenure.result(bigint) from public;
grant execute on function tenure.result(bigint) to tenure_client, tenure_operator;

-- sql/functions/worker/claim.sql
create or replace function tenure.claim(
    queues text[],
    owner text,
    max_steps int default 1,
    lease_ttl interval default '30 s',
    names text[] default null
)
returns setof tenure.claimed
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
-- Locks: the rows it takes, by SKIP LOCKED: it waits for nobody.
declare
    v_now timestamptz;
    v_ttl interval;
    v_tracks tenure_private.open_track [];
    v_picked tenure_private.picked;
begin
    v_ttl := tenure_private.check_claim(claim.owner, claim.max_steps, claim.lease_ttl);
    v_now := tenure_private.clock();
    v_tracks := tenure_private.open_tracks(claim.queues, claim.names, v_now);
    v_picked := tenure_private.pick(v_tracks, claim.max_steps, v_now);
    if v_picked.step_ids <> '{}' then
        v_now := tenure_private.clock();
        return query
        with taken as (
            update tenure_private.step as s
            set state = 'running',
                lease_owner = claim.owner,
                lease_ttl = v_ttl,
                lease_expiry = v_now + v_ttl,
                lease_generation = s.lease_generation + 1,
                started_at = v_now,
                heartbeat_at = v_now,
                start_by = null,
                reported = null,
                alarm_at = tenure_private.next_alarm(
                    v_now, 'running', v_now + v_ttl, s.on_timeout, v_now, s.timeout, null, s.progress_timeout,
                    s.deadline_at, null, null
                )
            where s.step_id = any(v_picked.step_ids)
            returning
                s.step_id, s.root_id, s.track_id, s.input, s.attempt, s.max_attempts, s.lease_generation,
                s.lease_expiry, s.timeout, least(s.deadline_at, s.group_limit_at) as ends_at, s.reclaims, s.headers,
                s.on_timeout, s.waited, s.scheduled_at, s.parent_id, s.node_id
        )
        select
            t.step_id, t.root_id, k.name, k.queue, t.input, t.attempt, t.max_attempts, t.lease_generation,
            t.lease_expiry, tenure_private.time_left(v_now, t.ends_at, v_now, t.timeout), t.reclaims, t.headers,
            case
                when t.node_id is not null then tenure_private.claimed_keys(t.step_id)
                when t.parent_id is not null then '{}'
            end,
            case when t.waited then tenure_private.last_wait(t.step_id) end, t.on_timeout,
            case when t.waited then tenure_private.ended_waits(t.step_id) end
        from taken as t
        join unnest(v_tracks) as k on k.track_id = t.track_id
        order by k.priority, t.scheduled_at, t.step_id;
    end if;
    perform tenure_private.raise_heads(v_tracks, v_picked.track_ids, v_now);
end
$function$;
comment on function tenure.claim(text[], text, int, interval, text[]) is
'Leases up to max_steps (1 to 1000) due steps of these queues to owner for lease_ttl, by priority, then scheduled_at, then id; NULL names: all. Start a handler only after the claim has committed, and claim no more than can be started at once: the timeout runs from here.
Errors: TN003 unknown queue, TN005 owner, TN006 lease_ttl, TN007 max_steps, TN016 isolation other than READ COMMITTED, TN018 a queue that is not the caller''s.';
revoke all on function tenure.claim(text[], text, int, interval, text[]) from public;
grant execute on function tenure.claim(text[], text, int, interval, text[]) to tenure_worker;

-- sql/functions/worker/heartbeat.sql
create or replace function tenure.heartbeat(step_id bigint, owner text, generation bigint, progress jsonb default null)
returns tenure.heartbeat_verdict
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
-- Locks: the step's row, waited for; nothing else.
declare
    v_verdict tenure.heartbeat_verdict;
begin
    perform tenure_private.check_pairs(array[heartbeat.step_id], heartbeat.owner, array[heartbeat.generation]);
    if tenure_private.document_size(heartbeat.progress) > 8192 then
        perform tenure_private.refuse(
            'too_large', 'progress is too large',
            format('It takes %s bytes; the limit is 8192.', tenure_private.document_size(heartbeat.progress)),
            'Keep larger states in a checkpoint or a table of your own.'
        );
    end if;
    perform
    from tenure_private.step as s
    where s.step_id = heartbeat.step_id
        and (
            not exists (select from tenure_private.queue_grant as g)
            or s.step_id <> all(tenure_private.hidden_steps(array[heartbeat.step_id]))
        )
    for no key update;
    if not found then
        v_verdict.verdict := 'lost';
        return v_verdict;
    end if;
    select r.verdict, r.lease_expiry, r.time_left into strict v_verdict
    from tenure_private.renew(
        array[heartbeat.step_id], heartbeat.owner, array[heartbeat.generation], heartbeat.progress
    ) as r;
    return v_verdict;
end
$function$;
comment on function tenure.heartbeat(bigint, text, bigint, jsonb) is
'Renews one lease by the ttl of its claim: renewed; or cancelled, timed_out, lost, and then the handler must stop. Beat every ttl/3. progress: JSON of at most 8 kB, kept on the step; SQL NULL is no progress, JSON null is.
Errors: TN005 owner, TN007 NULLs, TN008 progress.';
revoke all on function tenure.heartbeat(bigint, text, bigint, jsonb) from public;
grant execute on function tenure.heartbeat(bigint, text, bigint, jsonb) to tenure_worker;

-- sql/functions/worker/heartbeat_many.sql
create or replace function tenure.heartbeat_many(step_ids bigint[], owner text, generations bigint[])
returns setof tenure.renewal
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
-- Locks: the steps' rows by id, with SKIP LOCKED: one that its own handler's open transaction holds delays no other.
declare
    v_held bigint [];
    v_hidden bigint [];
begin
    perform tenure_private.check_pairs(heartbeat_many.step_ids, heartbeat_many.owner, heartbeat_many.generations);
    v_hidden := tenure_private.hidden_steps(heartbeat_many.step_ids);
    with held as materialized (
        select s.step_id
        from tenure_private.step as s
        where s.step_id = any(heartbeat_many.step_ids) and s.step_id <> all(v_hidden)
        order by s.step_id
        for no key update skip locked
    )
    select coalesce(array_agg(h.step_id), '{}') into strict v_held from held as h;
    return query
    with asked as materialized (
        select u.step_id, u.generation, u.n, h.step_id is not null as held
        from unnest(heartbeat_many.step_ids, heartbeat_many.generations) with ordinality as u (step_id, generation, n)
        left join unnest(v_held) as h (step_id) on h.step_id = u.step_id
    ),
    batch as (
        select array_agg(a.step_id order by a.n) as step_ids, array_agg(a.generation order by a.n) as generations
        from asked as a
        where a.held
    )
    select r.step_id, r.verdict, r.lease_expiry, r.time_left
    from batch as b
    cross join lateral tenure_private.renew(b.step_ids, heartbeat_many.owner, b.generations, null) as r
    where b.step_ids is not null
    union all
    -- Not held: locked by someone else, or not there at all, for this caller.
    select a.step_id, case when s.step_id is null then 'lost' else 'busy' end, null, null
    from asked as a
    left join tenure_private.step as s on s.step_id = a.step_id and s.step_id <> all(v_hidden)
    where not a.held;
end
$function$;
comment on function tenure.heartbeat_many(bigint[], text, bigint[]) is
'heartbeat for many leases of one owner, each guarded by its own generation. busy: the row is locked just now and was not waited for; it was not renewed.
Errors: TN005 owner, TN007 arrays that do not pair up.';
revoke all on function tenure.heartbeat_many(bigint[], text, bigint[]) from public;
grant execute on function tenure.heartbeat_many(bigint[], text, bigint[]) to tenure_worker;

-- sql/functions/worker/complete.sql
create or replace function tenure.complete(step_id bigint, owner text, generation bigint, output jsonb default null)
returns text
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
-- Locks: as settle().
begin
    perform tenure_private.check_size('output', tenure_private.document_size(complete.output));
    return tenure_private.settle_verdict(
        complete.step_id, complete.owner, complete.generation, complete.output, tenure_private.ask_for('complete')
    );
end
$function$;
comment on function tenure.complete(bigint, text, bigint, jsonb) is
'Ends a step with its output: completed; timed_out past its timeout or deadline; cancelled or stale when the lease is no longer the caller''s. In the caller''s transaction: its rows and the completion commit together or not at all.
Errors: TN005 owner, TN007 NULLs, TN008 output over 16 MB.';
revoke all on function tenure.complete(bigint, text, bigint, jsonb) from public;
grant execute on function tenure.complete(bigint, text, bigint, jsonb) to tenure_worker;

-- sql/functions/worker/complete_many.sql
create or replace function tenure.complete_many(
    step_ids bigint[], owner text, generations bigint[], outputs jsonb[] default null
)
returns setof tenure.verdict
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
-- Locks: as settle().
begin
    perform tenure_private.check_pairs(complete_many.step_ids, complete_many.owner, complete_many.generations);
    perform tenure_private.check_outputs(complete_many.outputs, cardinality(complete_many.step_ids));
    return query
    select v.step_id, v.verdict
    from tenure_private.settle(
        complete_many.step_ids, complete_many.owner, complete_many.generations, complete_many.outputs,
        tenure_private.ask_for('complete')
    ) as v;
end
$function$;
comment on function tenure.complete_many(bigint[], text, bigint[], jsonb[]) is
'complete for many leases of one owner: every row gets its own verdict, in no order; none of them raises.
Errors, for the call as a whole: TN005 owner, TN007 arrays that do not pair up, TN008 an output over 16 MB.';
revoke all on function tenure.complete_many(bigint[], text, bigint[], jsonb[]) from public;
grant execute on function tenure.complete_many(bigint[], text, bigint[], jsonb[]) to tenure_worker;

-- sql/functions/worker/skip.sql
create or replace function tenure.skip(step_id bigint, owner text, generation bigint, reason text default null)
returns text
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
-- Locks: as settle().
declare
    v_ask tenure_private.ask := tenure_private.ask_for('skip');
begin
    v_ask.reason := left(skip.reason, 10000);
    return tenure_private.settle_verdict(skip.step_id, skip.owner, skip.generation, null, v_ask);
end
$function$;
comment on function tenure.skip(bigint, text, bigint, text) is
'Ends a step as not needed: skipped, or as complete answers.
Errors: TN005 owner, TN007 NULLs.';
revoke all on function tenure.skip(bigint, text, bigint, text) from public;
grant execute on function tenure.skip(bigint, text, bigint, text) to tenure_worker;

-- sql/functions/worker/fail.sql
create or replace function tenure.fail(
    step_id bigint,
    owner text,
    generation bigint,
    error jsonb,
    kind text default 'retryable',
    retry_after interval default null
)
returns text
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
-- Locks: as settle().
declare
    v_ask tenure_private.ask := tenure_private.ask_for('fail');
begin
    if fail.kind is null or fail.kind not in ('retryable', 'permanent', 'uncertain', 'timeout') then
        perform tenure_private.refuse(
            'argument_invalid', 'kind is unknown',
            format('Given: %s.', fail.kind), 'Give retryable, permanent, uncertain or timeout.'
        );
    end if;
    v_ask.kind := fail.kind;
    -- A timeout needs no error of the worker's; one that is given becomes the cause.
    if fail.error is not null or fail.kind <> 'timeout' then
        v_ask.error := tenure_private.storable_error(fail.error);
    end if;
    v_ask.retry_after := tenure_private.duration(fail.retry_after, 'retry_after');
    return tenure_private.settle_verdict(fail.step_id, fail.owner, fail.generation, null, v_ask);
end
$function$;
comment on function tenure.fail(bigint, text, bigint, jsonb, text, interval) is
'Ends an attempt with an error: retrying or discarded; timed_out when a limit had passed; cancelled or stale when the lease is no longer the caller''s.
kind: retryable; permanent: no further attempt; uncertain: an outside commit whose result is unknown, no further attempt; timeout: the worker stopped the handler at its limit. retry_after: instead of the backoff. An error over 64 kB is cut, never refused.
Errors: TN005 owner, TN006 retry_after, TN007 kind or NULLs.';
revoke all on function tenure.fail(bigint, text, bigint, jsonb, text, interval) from public;
grant execute on function tenure.fail(bigint, text, bigint, jsonb, text, interval) to tenure_worker;

-- sql/functions/worker/release.sql
create or replace function tenure.release(step_id bigint, owner text, generation bigint)
returns text
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
-- Locks: as settle().
begin
    return tenure_private.settle_verdict(
        release.step_id, release.owner, release.generation, null, tenure_private.ask_for('release')
    );
end
$function$;
comment on function tenure.release(bigint, text, bigint) is
'Hands a step back unfinished, due at once, the attempt not consumed: released, or as complete answers.
Errors: TN005 owner, TN007 NULLs.';
revoke all on function tenure.release(bigint, text, bigint) from public;
grant execute on function tenure.release(bigint, text, bigint) to tenure_worker;

-- sql/functions/worker/sleep.sql
create or replace function tenure.sleep(
    step_id bigint, owner text, generation bigint, duration interval, key text default null
)
returns text
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
-- Locks: as settle().
declare
    v_ask tenure_private.ask := tenure_private.ask_for('sleep');
begin
    if sleep.duration is null then
        perform tenure_private.refuse(
            'duration_invalid', 'duration must not be null', 'duration is NULL.', 'Give how long to sleep.'
        );
    elsif sleep.key is not null then
        perform tenure_private.check_name(sleep.key, 'key');
    end if;
    v_ask.pause := tenure_private.duration(sleep.duration, 'duration');
    v_ask.wait_key := sleep.key;
    return tenure_private.settle_verdict(sleep.step_id, sleep.owner, sleep.generation, null, v_ask);
end
$function$;
comment on function tenure.sleep(bigint, text, bigint, interval, text) is
'Ends the execution until the time has passed; the handler is then called again, same attempt: sleeping, or as complete answers. key: under which claimed.waits tells that it has ended; default sleep:N. A key that has ended already makes the step available at once.
Errors: TN005 owner or key, TN006 duration, TN007 NULLs.';
revoke all on function tenure.sleep(bigint, text, bigint, interval, text) from public;
grant execute on function tenure.sleep(bigint, text, bigint, interval, text) to tenure_worker;

-- sql/functions/worker/wait_signal.sql
create or replace function tenure.wait_signal(
    step_id bigint, owner text, generation bigint, signal text, timeout interval default null, key text default null
)
returns text
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
-- Locks: as settle().
declare
    v_ask tenure_private.ask := tenure_private.ask_for('wait_signal');
begin
    perform tenure_private.check_name(wait_signal.signal, 'signal');
    if wait_signal.key is not null then
        perform tenure_private.check_name(wait_signal.key, 'key');
    end if;
    v_ask.signal := wait_signal.signal;
    v_ask.pause := tenure_private.duration(wait_signal.timeout, 'timeout');
    v_ask.wait_key := wait_signal.key;
    return tenure_private.settle_verdict(wait_signal.step_id, wait_signal.owner, wait_signal.generation, null, v_ask);
end
$function$;
comment on function tenure.wait_signal(bigint, text, bigint, text, interval, text) is
'Ends the execution until the run gets the signal or the timeout has passed (NULL: never); the handler is then called again, same attempt: waiting, or as complete answers. A signal kept earlier makes the step available at once. key: as for sleep; default signal:NAME:N.
Errors: TN005 owner, signal or key, TN006 timeout, TN007 NULLs.';
revoke all on function tenure.wait_signal(bigint, text, bigint, text, interval, text) from public;
grant execute on function tenure.wait_signal(bigint, text, bigint, text, interval, text) to tenure_worker;

-- sql/functions/worker/checkpoint.sql
create or replace function tenure.checkpoint(
    step_id bigint, owner text, generation bigint, key text, value jsonb default null
)
returns jsonb
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
-- Locks: the step's row, so that what is written was written under the lease.
declare
    v_step tenure_private.step;
    v_value jsonb;
begin
    perform tenure_private.check_pairs(array[checkpoint.step_id], checkpoint.owner, array[checkpoint.generation]);
    perform tenure_private.check_name(checkpoint.key, 'key');
    perform tenure_private.check_size('payload', tenure_private.document_size(checkpoint.value));
    select s.* into v_step
    from tenure_private.step as s
    where s.step_id = checkpoint.step_id and s.step_id <> all(tenure_private.hidden_steps(array[checkpoint.step_id]))
    for no key update;
    perform tenure_private.check_lease(v_step, checkpoint.step_id, checkpoint.owner, checkpoint.generation);
    if checkpoint.value is not null then
        insert into tenure_private.checkpoint (step_id, key, value, created_at)
        values (checkpoint.step_id, checkpoint.key, checkpoint.value, tenure_private.clock())
        on conflict on constraint checkpoint_pkey do nothing;
    end if;
    select c.value into v_value
    from tenure_private.checkpoint as c
    where c.step_id = checkpoint.step_id and c.key = checkpoint.key;
    return v_value;
end
$function$;
comment on function tenure.checkpoint(bigint, text, bigint, text, jsonb) is
'Notes a value under a key of the step and returns what stands there: the first write wins and survives attempts. SQL NULL only reads; NULL comes back where nothing was noted.
Errors: TN014 without the lease, TN005 owner or key, TN007 NULLs, TN008 value over 1 MB.';
revoke all on function tenure.checkpoint(bigint, text, bigint, text, jsonb) from public;
grant execute on function tenure.checkpoint(bigint, text, bigint, text, jsonb) to tenure_worker;

-- sql/functions/worker/fold.sql
create or replace function tenure.fold(run_ids bigint[])
returns int
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
set lock_timeout = '200ms'
as $function$
-- Locks: the runs' rows, by id, each waited for no longer than a fifth of a second.
declare
    v_busy int := 0;
    r_run record;
begin
    if fold.run_ids is null or array_ndims(fold.run_ids) > 1 or array_position(fold.run_ids, null) is not null then
        perform tenure_private.refuse(
            'argument_invalid', 'run_ids is no array of ids',
            format('Given: %s.', fold.run_ids), 'Give the run_id of claimed steps.'
        );
    end if;
    for r_run in
        select distinct e.run_id
        from tenure_private.event as e
        where e.run_id = any(fold.run_ids) and not e.held
        order by e.run_id
    loop
        begin
            perform from tenure_private.step as r
            where r.step_id = r_run.run_id and r.state <> 'paused'
            for no key update;
            if found then
                perform tenure_private.fold_run(r_run.run_id, '{}');
            end if;
        exception when lock_not_available then
            v_busy := v_busy + 1;
        end;
    end loop;
    return v_busy;
end
$function$;
comment on function tenure.fold(bigint[]) is
'Does for these runs what the reports of their children have left to do because another was at it: dependents and groups move on. To be called right after the commit of reports of children (claimed.run_id <> step_id); costs next to nothing where nothing was left. Returns how many of the runs were busy: call again, or leave it to the sweep.
Errors: TN007 NULLs, an array of several dimensions.';
revoke all on function tenure.fold(bigint[]) from public;
grant execute on function tenure.fold(bigint[]) to tenure_worker, tenure_operator;

-- sql/functions/worker/stage.sql
create or replace function tenure.stage(step_id bigint, owner text, generation bigint, key text, value jsonb)
returns text
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
-- Locks: the step's row, so that what is staged was staged under the lease.
declare
    v_step tenure_private.step;
    v_now timestamptz;
begin
    perform tenure_private.check_pairs(array[stage.step_id], stage.owner, array[stage.generation]);
    perform tenure_private.check_name(stage.key, 'key');
    perform tenure_private.check_size('output', tenure_private.document_size(stage.value));
    select s.* into v_step
    from tenure_private.step as s
    where s.step_id = stage.step_id and s.step_id <> all(tenure_private.hidden_steps(array[stage.step_id]))
    for no key update;
    v_now := tenure_private.clock();
    if v_step.state is distinct from 'running' or v_step.lease_owner <> stage.owner
        or v_step.lease_generation <> stage.generation
    then
        return case v_step.state when 'cancelled' then 'cancelled' else 'stale' end;
    elsif v_step.group_limit_at <= v_now then
        return 'cancelled';
    elsif tenure_private.limit_passed(
        v_now, v_step.deadline_at, v_step.started_at, v_step.timeout, v_step.progress_at,
        v_step.progress_timeout
    ) is not null then
        return 'timed_out';
    end if;
    perform tenure_private.check_provided(v_step, stage.key);
    insert into tenure_private.staged as s (step_id, key, value)
    values (stage.step_id, stage.key, coalesce(stage.value, 'null'))
    on conflict on constraint staged_pkey do update set value = excluded.value;
    return 'staged';
end
$function$;
comment on function tenure.stage(bigint, text, bigint, text, jsonb) is
'Stages a value for a key that the step''s node provides, in place of an earlier one: staged; timed_out past a limit; cancelled or stale when the lease is no longer the caller''s. It is seen by this attempt alone, kept over sleeps and signal waits, published with all others when the step completes or is skipped, and dropped when the attempt fails or is interrupted. NULL is JSON null.
Errors: TN005 owner or key, TN007 NULLs or a key that the step does not provide, TN008 value over 16 MB.';
revoke all on function tenure.stage(bigint, text, bigint, text, jsonb) from public;
grant execute on function tenure.stage(bigint, text, bigint, text, jsonb) to tenure_worker;

-- sql/functions/worker/staged.sql
create or replace function tenure.staged(step_id bigint, owner text, generation bigint, key text)
returns jsonb
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
declare
    v_step tenure_private.step;
    v_value jsonb;
begin
    perform tenure_private.check_pairs(array[staged.step_id], staged.owner, array[staged.generation]);
    perform tenure_private.check_name(staged.key, 'key');
    select s.* into v_step
    from tenure_private.step as s
    where s.step_id = staged.step_id and s.step_id <> all(tenure_private.hidden_steps(array[staged.step_id]));
    perform tenure_private.check_lease(v_step, staged.step_id, staged.owner, staged.generation);
    select s.value into v_value from tenure_private.staged as s where s.step_id = staged.step_id and s.key = staged.key;
    return v_value;
end
$function$;
comment on function tenure.staged(bigint, text, bigint, text) is
'What this attempt has staged for a key; NULL: nothing.
Errors: TN014 without the lease, TN005 owner or key, TN007 NULLs.';
revoke all on function tenure.staged(bigint, text, bigint, text) from public;
grant execute on function tenure.staged(bigint, text, bigint, text) to tenure_worker;

-- sql/functions/worker/start_child.sql
create or replace function tenure.start_child(
    step_id bigint,
    owner text,
    generation bigint,
    name text,
    input jsonb default '{}',
    queue text default null,
    priority int default null,
    scheduled_at timestamptz default null,
    delay interval default null,
    timeout interval default null,
    deadline interval default null,
    max_attempts int default null,
    backoff jsonb default null,
    max_reclaims int default null,
    idempotency_key text default null,
    on_timeout text default null,
    headers jsonb default null,
    start_within interval default null,
    progress_timeout interval default null,
    idempotency_period interval default null
)
returns bigint
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
-- Locks: as a report: the run shared, then the step; then the row of its idempotency key.
declare
    v_step tenure_private.step;
    v_settings tenure_private.settings;
    v_scheduled_at timestamptz;
    v_child_id bigint;
    v_key_id bigint;
    v_now timestamptz;
begin
    perform tenure_private.check_pairs(array[start_child.step_id], start_child.owner, array[start_child.generation]);
    perform tenure_private.lock_run_shared(array[start_child.step_id])
    where tenure_private.hidden_steps(array[start_child.step_id]) = '{}';
    select s.* into v_step
    from tenure_private.step as s
    where s.step_id = start_child.step_id and s.step_id <> all(tenure_private.hidden_steps(array[start_child.step_id]))
    for no key update;
    perform tenure_private.check_lease(v_step, start_child.step_id, start_child.owner, start_child.generation);
    v_now := tenure_private.clock();
    perform tenure_private.check_in_time(v_step, v_now);
    v_settings := tenure_private.child_settings(
        v_step, start_child.name, start_child.queue, start_child.priority, start_child.timeout, start_child.deadline,
        start_child.max_attempts, start_child.backoff, start_child.max_reclaims, start_child.on_timeout,
        start_child.start_within, start_child.progress_timeout, start_child.idempotency_period
    );
    perform tenure_private.check_queue(v_settings.queue_id, start_child.queue);
    v_scheduled_at := tenure_private.due_from(start_child.scheduled_at, start_child.delay, v_now);
    perform tenure_private.check_size('input', tenure_private.document_size(start_child.input));
    perform tenure_private.check_headers(start_child.headers);
    v_child_id := tenure_private.new_step_id();
    if start_child.idempotency_key is not null then
        perform tenure_private.check_name(start_child.idempotency_key, 'idempotency_key');
        v_key_id := tenure_private.take_key(
            format('child of %s/%s', coalesce(v_step.parent_id, v_step.step_id), coalesce(v_step.group_attempt, 0)),
            start_child.name, start_child.idempotency_key, v_child_id, v_now
        );
        if v_key_id <> v_child_id then
            return v_key_id;
        end if;
        perform tenure_private.limit_keys(array[v_child_id], v_now, v_settings.idempotency_period);
    end if;
    perform tenure_private.insert_child(
        v_step, v_child_id, v_settings, coalesce(start_child.input, '{}'),
        coalesce(start_child.headers, v_settings.headers, v_step.headers), v_scheduled_at, v_now
    );
    return v_child_id;
end
$function$;
comment on function tenure.start_child(
    bigint, text, bigint, text, jsonb, text, int, timestamptz, interval, interval, interval, int, jsonb, int, text,
    text, jsonb, interval, interval, interval
) is
'Makes a further step in the run of a step that is running, in the caller''s transaction, and returns its step_id. In a workflow it joins the group of that step: the group waits for it, its failure is the group''s, and the policies and quotas around each node there are around it too. The children of a plain job are cancelled when the job ends before them. Parameters as of enqueue; an idempotency_key holds within one attempt of the group, so that a handler that is called again gets the first child.
Errors: as enqueue; TN014 without the lease or past a limit.';
revoke all on function tenure.start_child(
    bigint, text, bigint, text, jsonb, text, int, timestamptz, interval, interval, interval, int, jsonb, int, text,
    text, jsonb, interval, interval, interval
) from public;
grant execute on function tenure.start_child(
    bigint, text, bigint, text, jsonb, text, int, timestamptz, interval, interval, interval, int, jsonb, int, text,
    text, jsonb, interval, interval, interval
) to tenure_worker;

-- sql/functions/worker/worker_hello.sql
create or replace function tenure.worker_hello(owner text, queues text[], idle boolean, info jsonb default null)
returns text
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
-- An idle worker has one row in waiter, which whoever makes work deletes. That row may be locked by a business
-- transaction just now, so it is never waited for: the worker's own row is another one.
declare
    v_channel constant text = 'tenure_' || left(md5(worker_hello.owner), 16);
    v_now constant timestamptz = tenure_private.clock();
    v_until constant timestamptz = v_now + interval '15 seconds';
    v_waiter_id bigint;
begin
    perform tenure_private.check_name(worker_hello.owner, 'owner');
    perform tenure_private.check_size('report', tenure_private.document_size(worker_hello.info));
    if worker_hello.queues is null or worker_hello.idle is null then
        perform tenure_private.refuse(
            'argument_invalid', 'queues and idle must not be null',
            format(
                'queues: %s; idle: %s.',
                coalesce(worker_hello.queues::text, 'NULL'), coalesce(worker_hello.idle::text, 'NULL')
            ),
            'Say which queues are served, and whether the worker has nothing to do.'
        );
    end if;
    -- Who may not claim from a queue is not to take away its wake-ups either.
    perform tenure_private.check_queue(q.queue_id, q.name)
    from tenure_private.queue as q
    where q.name = any(worker_hello.queues);
    perform tenure_private.drop_waiter(worker_hello.owner);
    if worker_hello.idle then
        insert into tenure_private.waiter (channel, queues, expires_at)
        values (v_channel, worker_hello.queues, v_until)
        returning waiter_id into strict v_waiter_id;
    end if;
    insert into tenure_private.worker as w (owner, channel, queues, idle, info, waiter_id, hello_at, expires_at)
    values (
        worker_hello.owner, v_channel, worker_hello.queues, worker_hello.idle, worker_hello.info, v_waiter_id,
        v_now, v_until
    )
    on conflict on constraint worker_pkey do update set (queues, idle, info, waiter_id, hello_at, expires_at) = (
        excluded.queues, excluded.idle, coalesce(excluded.info, w.info), excluded.waiter_id, excluded.hello_at,
        excluded.expires_at
    );
    return v_channel;
end
$function$;
comment on function tenure.worker_hello(text, text[], boolean, jsonb) is
'Says that a worker is there, for 15 seconds, and returns the channel on which it is notified: payload work: claim now; beat: heartbeat now. idle true asks for one notification; say it again after each. It feeds worker_status; nothing else depends on it.
Errors: TN005 owner, TN007 NULLs, TN008 info over 1 MB, TN018 a queue that is not the caller''s.';
revoke all on function tenure.worker_hello(text, text[], boolean, jsonb) from public;
grant execute on function tenure.worker_hello(text, text[], boolean, jsonb) to tenure_worker;

-- sql/functions/worker/worker_report.sql
create or replace function tenure.worker_report(owner text, report jsonb)
returns void
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
declare
    v_now constant timestamptz = tenure_private.clock();
begin
    perform tenure_private.check_name(worker_report.owner, 'owner');
    perform tenure_private.check_size('report', tenure_private.document_size(worker_report.report));
    perform tenure_private.drop_waiter(worker_report.owner);
    insert into tenure_private.worker as w (
        owner, channel, queues, idle, hello_at, expires_at, report, reported_at
    )
    values (
        worker_report.owner, 'tenure_' || left(md5(worker_report.owner), 16), '{}', false, v_now, v_now,
        worker_report.report, v_now
    )
    on conflict on constraint worker_pkey do update set (idle, expires_at, report, reported_at, waiter_id) = (
        false, excluded.expires_at, excluded.report, excluded.reported_at, null
    );
end
$function$;
comment on function tenure.worker_report(text, jsonb) is
'Stores what a worker says of its shutdown, and that it has left. It moves no step.
Errors: TN005 owner, TN008 report over 1 MB.';
revoke all on function tenure.worker_report(text, jsonb) from public;
grant execute on function tenure.worker_report(text, jsonb) to tenure_worker;

-- sql/functions/worker/sweep.sql
create or replace function tenure.sweep(max_steps int default 100)
returns tenure.sweep_report
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
-- Locks: for each step its run's, then its own, both tried: a locked run is passed over and hides no other.
declare
    v_report tenure.sweep_report;
    v_again interval;
begin
    perform tenure_private.check_max_steps(sweep.max_steps);
    perform tenure_private.watch_clock();
    perform tenure_private.do_chore('fold_behind', tenure_private.clock());
    v_again := tenure_private.fold_left();
    v_report := tenure_private.ring(sweep.max_steps);
    v_report.next_due_in := least(v_report.next_due_in, v_again);
    perform tenure_private.keep_house();
    return v_report;
end
$function$;
comment on function tenure.sweep(int) is
'Moves on up to max_steps (1 to 1000) steps whose lease, limit, timer or signal wait has ended, and clears away runs past their queue''s retention. Any number of sweepers at a time are correct. next_due_in 0: call again at once; NULL: nothing is to come.
Errors: TN007 max_steps.';
revoke all on function tenure.sweep(int) from public;
grant execute on function tenure.sweep(int) to tenure_worker, tenure_operator;

-- sql/functions/operator/retry.sql
create or replace function tenure.retry(step_id bigint, extra_attempts int default 1)
returns text
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
-- Locks: the run exclusively, then the step; in a workflow then what is reopened with it, by id.
declare
    v_step tenure_private.step;
    v_now timestamptz;
    v_state text;
begin
    v_step := tenure_private.find_discarded(retry.step_id, retry.extra_attempts);
    v_now := tenure_private.clock();
    if v_step.parent_id is null and not v_step.tree then
        perform tenure_private.reopen_leaves(array[v_step.step_id], retry.extra_attempts, v_now);
    else
        perform tenure_private.reopen_in_tree(v_step, retry.extra_attempts, v_now);
    end if;
    select s.state into strict v_state from tenure_private.step as s where s.step_id = v_step.step_id;
    return v_state;
end
$function$;
comment on function tenure.retry(bigint, int) is
'Reopens a discarded step and returns its new state: error cleared, reclaims 0, deadline anew from now and start_within from when it is due, room for at least extra_attempts more attempts. A group reopens with the children that took it down; a child reopens its group, as far up as they were discarded, with the siblings that were cancelled with it.
Errors: TN001 unknown step, TN007 extra_attempts under 1, TN010 the step is not discarded, or its group has gone on without it, TN017 it is being purged.';
revoke all on function tenure.retry(bigint, int) from public;
grant execute on function tenure.retry(bigint, int) to tenure_operator;

-- sql/functions/operator/pause.sql
create or replace function tenure.pause(run_id bigint)
returns int
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
-- Locks: the run exclusively, then its steps by id.
declare
    v_run tenure_private.step;
    v_ids bigint [];
    v_now timestamptz;
    v_count int;
begin
    perform tenure_private.lock_whole(pause.run_id);
    v_run := tenure_private.find_run(pause.run_id);
    v_ids := tenure_private.lock_steps(v_run.step_id);
    v_now := tenure_private.clock();
    -- The clocks of groups stand still, for their running children too; what has passed has passed.
    update tenure_private.step as s
    set pausing = true, group_limit_at = case when s.group_limit_at <= v_now then s.group_limit_at end
    where s.step_id = any(v_ids) and s.state = 'running';
    update tenure_private.step as s
    set state = 'paused', paused_state = s.state, paused_at = v_now, alarm_at = null
    where s.step_id = any(v_ids) and s.finished_at is null and s.state not in ('running', 'paused');
    get diagnostics v_count = row_count;
    return v_count;
end
$function$;
comment on function tenure.pause(bigint) is
'Pauses a run and returns how many of its steps became paused. A running step goes on; if its verdict leaves it unfinished it becomes paused then, and what follows from it for its group waits for resume. Clocks of deadline, start_within, group timeouts and signal time-outs stand still meanwhile.
Errors: TN001 unknown run, TN002 a child''s id.';
revoke all on function tenure.pause(bigint) from public;
grant execute on function tenure.pause(bigint) to tenure_operator;

-- sql/functions/operator/resume.sql
create or replace function tenure.resume(run_id bigint)
returns int
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
-- Locks: the run exclusively, then its steps by id.
declare
    v_run tenure_private.step;
    v_now timestamptz;
    v_ids bigint [];
begin
    v_run := tenure_private.locked_run(resume.run_id);
    v_ids := tenure_private.lock_steps(v_run.step_id);
    v_now := tenure_private.clock();
    update tenure_private.step as s
    set pausing = false
    where s.step_id = any(v_ids) and s.pausing;
    perform tenure_private.shift_layers(v_run.step_id, v_now);
    with resumed as (
        update tenure_private.step as s
        set state = s.paused_state,
            paused_state = null,
            paused_at = null,
            -- A group's attempt counts its timeout from here; another step's started_at is only told.
            started_at = case s.paused_state when 'waiting_steps' then s.started_at + p.stood else s.started_at end,
            deadline_at = s.deadline_at + p.stood,
            start_by = s.start_by + p.stood,
            due_at = d.due_at,
            alarm_at = tenure_private.next_alarm(
                v_now, s.paused_state, null, s.on_timeout, s.started_at + p.stood, s.timeout, null, null,
                s.deadline_at + p.stood, s.start_by + p.stood, d.due_at
            )
        from tenure_private.step as o
        cross join lateral (select greatest(v_now - o.paused_at, interval '0') as stood) as p
        -- A sleep goes by in the meantime; a signal wait does not.
        cross join lateral (
            select case when o.paused_state = 'waiting_signal' then o.due_at + p.stood else o.due_at end as due_at
        ) as d
        where o.step_id = s.step_id and s.step_id = any(v_ids) and s.state = 'paused'
        returning s.step_id
    )
    select array_agg(r.step_id order by r.step_id) into strict v_ids from resumed as r;
    perform tenure_private.set_group_limits(v_run.step_id);
    perform tenure_private.after_resume(v_ids, v_now);
    if v_run.tree then
        perform tenure_private.fold_run(v_run.step_id, '{}');
    end if;
    return coalesce(cardinality(v_ids), 0);
end
$function$;
comment on function tenure.resume(bigint) is
'Resumes a paused run and returns how many steps went back to what they were. A sleep that came due fires now, and signals sent meanwhile arrive.
Errors: TN001 unknown run, TN002 a child''s id.';
revoke all on function tenure.resume(bigint) from public;
grant execute on function tenure.resume(bigint) to tenure_operator;

-- sql/functions/operator/create_queue.sql
create or replace function tenure.create_queue(
    name text,
    preset text default null,
    timeout_default interval default null,
    timeout_floor interval default null,
    timeout_ceiling interval default null,
    retention interval default null,
    discarded_retention interval default null
)
returns void
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
declare
    v_wanted tenure_private.queue;
    v_found tenure_private.queue;
begin
    perform tenure_private.check_name(create_queue.name, 'queue');
    v_wanted := tenure_private.preset(create_queue.preset);
    v_wanted := tenure_private.queue_with(
        v_wanted, create_queue.timeout_default, create_queue.timeout_floor, create_queue.timeout_ceiling,
        create_queue.retention, create_queue.discarded_retention
    );
    insert into tenure_private.queue (
        name, timeout_default, timeout_floor, timeout_ceiling, retention, discarded_retention
    )
    values (
        create_queue.name, v_wanted.timeout_default, v_wanted.timeout_floor, v_wanted.timeout_ceiling,
        v_wanted.retention, v_wanted.discarded_retention
    )
    on conflict on constraint queue_name_key do nothing;
    v_found := tenure_private.find_queue(create_queue.name);
    if (
        v_found.timeout_default, v_found.timeout_floor, v_found.timeout_ceiling, v_found.retention,
        v_found.discarded_retention
    ) is distinct from (
        v_wanted.timeout_default, v_wanted.timeout_floor, v_wanted.timeout_ceiling, v_wanted.retention,
        v_wanted.discarded_retention
    ) then
        perform tenure_private.refuse(
            'queue_differs', 'the queue is there already, with other settings', format('Queue %s.', create_queue.name),
            'Change it: select tenure.alter_queue(name, ...).'
        );
    end if;
end
$function$;
comment on function tenure.create_queue(text, text, interval, interval, interval, interval, interval) is
'Makes a queue; the same again does nothing. preset delivery: timeout 30 s, from 100 ms to 900 s; the others given beat it. retention: of finished runs, default 7 days; discarded_retention: of discarded ones, default 30 days.
Errors: TN004 it is there with other settings, TN005 name, TN006 durations, TN007 preset or bounds.';
revoke all on function tenure.create_queue(text, text, interval, interval, interval, interval, interval) from public;
grant execute on function tenure.create_queue(
    text, text, interval, interval, interval, interval, interval
) to tenure_operator;

-- sql/functions/operator/alter_queue.sql
create or replace function tenure.alter_queue(
    name text,
    timeout_default interval default null,
    timeout_floor interval default null,
    timeout_ceiling interval default null,
    retention interval default null,
    discarded_retention interval default null,
    clear text[] default null
)
returns void
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
-- Locks: the queue's row.
declare
    v_queue tenure_private.queue;
begin
    perform tenure_private.find_queue(alter_queue.name);
    if not coalesce(alter_queue.clear, '{}') <@ array['timeout_default', 'timeout_floor', 'timeout_ceiling'] then
        perform tenure_private.refuse(
            'argument_invalid', 'clear names something that cannot be cleared', format('Given: %s.', alter_queue.clear),
            'Give timeout_default, timeout_floor, timeout_ceiling.'
        );
    end if;
    select q.* into strict v_queue from tenure_private.queue as q where q.name = alter_queue.name for no key update;
    v_queue.timeout_default := case
        when 'timeout_default' = any(alter_queue.clear) then null else v_queue.timeout_default
    end;
    v_queue.timeout_floor := case
        when 'timeout_floor' = any(alter_queue.clear) then null else v_queue.timeout_floor
    end;
    v_queue.timeout_ceiling := case
        when 'timeout_ceiling' = any(alter_queue.clear) then null else v_queue.timeout_ceiling
    end;
    v_queue := tenure_private.queue_with(
        v_queue, alter_queue.timeout_default, alter_queue.timeout_floor, alter_queue.timeout_ceiling,
        alter_queue.retention, alter_queue.discarded_retention
    );
    update tenure_private.queue as q
    set timeout_default = v_queue.timeout_default,
        timeout_floor = v_queue.timeout_floor,
        timeout_ceiling = v_queue.timeout_ceiling,
        retention = v_queue.retention,
        discarded_retention = v_queue.discarded_retention
    where q.queue_id = v_queue.queue_id;
end
$function$;
comment on function tenure.alter_queue(text, interval, interval, interval, interval, interval, text[]) is
'Changes settings of a queue, for steps enqueued from now on (retention: for all). NULL leaves as it is; clear: the names of timeout settings to take away.
Errors: TN003 unknown queue, TN006 durations, TN007 bounds or clear.';
revoke all on function tenure.alter_queue(text, interval, interval, interval, interval, interval, text[]) from public;
grant execute on function tenure.alter_queue(
    text, interval, interval, interval, interval, interval, text[]
) to tenure_operator;

-- sql/functions/operator/pause_queue.sql
create or replace function tenure.pause_queue(name text)
returns void
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
begin
    perform tenure_private.find_queue(pause_queue.name);
    update tenure_private.queue as q set paused_at = coalesce(q.paused_at, tenure_private.clock())
    where q.name = pause_queue.name;
end
$function$;
comment on function tenure.pause_queue(text) is
'Stops claims from a queue, and no clock: running steps go on, timeouts and deadlines count.
Errors: TN003 unknown queue.';
revoke all on function tenure.pause_queue(text) from public;
grant execute on function tenure.pause_queue(text) to tenure_operator;

-- sql/functions/operator/resume_queue.sql
create or replace function tenure.resume_queue(name text)
returns void
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
declare
    v_queue constant tenure_private.queue = tenure_private.find_queue(resume_queue.name);
begin
    update tenure_private.queue as q set paused_at = null where q.queue_id = v_queue.queue_id;
    perform tenure_private.wake(t.track_id)
    from (
        select k.track_id from tenure_private.track as k where k.queue_id = v_queue.queue_id order by k.track_id limit 1
    ) as t;
end
$function$;
comment on function tenure.resume_queue(text) is 'Lets a queue be claimed from again. Errors: TN003 unknown queue.';
revoke all on function tenure.resume_queue(text) from public;
grant execute on function tenure.resume_queue(text) to tenure_operator;

-- sql/functions/operator/set_quota.sql
create or replace function tenure.set_quota(name text, capacity int)
returns void
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
-- Locks: the quota's row, which a claim may hold; then waiter rows, tried.
begin
    perform tenure_private.check_name(set_quota.name, 'quota');
    if set_quota.capacity is null or set_quota.capacity < 0 then
        perform tenure_private.refuse(
            'argument_invalid', 'capacity is out of range', format('Given: %s.', set_quota.capacity), 'Give 0 or more.'
        );
    end if;
    insert into tenure_private.quota as q (name, capacity)
    values (set_quota.name, set_quota.capacity)
    on conflict on constraint quota_name_key do update set capacity = excluded.capacity
    where q.capacity <> excluded.capacity;
    perform tenure_private.wake(t.track_id)
    from tenure_private.quota as q
    join tenure_private.track as t on q.quota_id = any(t.quota_ids)
    where q.name = set_quota.name;
end
$function$;
comment on function tenure.set_quota(text, int) is
'Makes a quota or changes its capacity: how many units of it may be running at once. A lowered capacity stops claims until enough steps have ended, and touches none that runs; 0 stops all claims under it.
Errors: TN005 name, TN007 capacity NULL or negative.';
revoke all on function tenure.set_quota(text, int) from public;
grant execute on function tenure.set_quota(text, int) to tenure_operator;

-- sql/functions/operator/grant_queue.sql
create or replace function tenure.grant_queue(queue text, role text)
returns void
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
-- Locks: the row of the grant.
declare
    v_queue constant tenure_private.queue = tenure_private.find_queue(grant_queue.queue);
begin
    perform tenure_private.check_name(grant_queue.role, 'role');
    if not exists (select from pg_roles as r where r.rolname = grant_queue.role) then
        perform tenure_private.refuse(
            'role_unknown', 'there is no such role', format('Role %s.', grant_queue.role), 'Make it first: create role.'
        );
    end if;
    insert into tenure_private.queue_grant (queue_id, role)
    values (v_queue.queue_id, grant_queue.role)
    on conflict on constraint queue_grant_pkey do nothing;
end
$function$;
comment on function tenure.grant_queue(text, text) is
'Grants a queue to a role and to whoever has its rights. From then on these use their own queues only, and nobody else uses this one, but for operators. Others'' queues are refused to them (TN018), others'' steps are not there for them. The same again does nothing; tenure.queue_grants lists what was granted.
Errors: TN003 unknown queue, TN005 names, TN019 unknown role.';
revoke all on function tenure.grant_queue(text, text) from public;
grant execute on function tenure.grant_queue(text, text) to tenure_operator;

-- sql/functions/operator/revoke_queue.sql
create or replace function tenure.revoke_queue(queue text, role text)
returns void
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
-- Locks: the row of the grant.
declare
    v_queue constant tenure_private.queue = tenure_private.find_queue(revoke_queue.queue);
begin
    perform tenure_private.check_name(revoke_queue.role, 'role');
    delete from tenure_private.queue_grant as g where g.queue_id = v_queue.queue_id and g.role = revoke_queue.role;
    -- A role that is gone can be revoked from; a name that was mistyped must not pass for it.
    if not found and not exists (select from pg_roles as r where r.rolname = revoke_queue.role) then
        perform tenure_private.refuse(
            'role_unknown', 'there is no such role', format('Role %s.', revoke_queue.role),
            'Look at tenure.queue_grants for the roles that hold a grant.'
        );
    end if;
end
$function$;
comment on function tenure.revoke_queue(text, text) is
'Takes the grant of a queue from a role; without one it does nothing. A queue whose last grant is gone is open to all who hold none.
Errors: TN003 unknown queue, TN005 names, TN019 a role that is neither there nor granted anything.';
revoke all on function tenure.revoke_queue(text, text) from public;
grant execute on function tenure.revoke_queue(text, text) to tenure_operator;

-- sql/functions/operator/purge.sql
create or replace function tenure.purge(older_than interval, max_rows int default 1000)
returns int
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
-- Locks: the runs that it removes, tried.
declare
    v_now constant timestamptz = tenure_private.clock();
    v_age constant interval = tenure_private.duration(purge.older_than, 'older_than');
    v_ids bigint [];
begin
    if v_age is null or purge.max_rows is null or purge.max_rows not between 1 and 100000 then
        perform tenure_private.refuse(
            'argument_invalid', 'older_than or max_rows is out of range',
            format('Given: %s, %s.', purge.older_than, purge.max_rows),
            'Give an age, and 1 to 100000 rows.'
        );
    end if;
    with old as materialized (
        select s.step_id
        from tenure_private.step as s
        where s.finished_at is not null and s.parent_id is null and s.finished_at <= v_now - v_age
            and (s.lease_expiry is null or s.lease_expiry < v_now)
        order by s.finished_at
        limit purge.max_rows
    )
    select array_agg(o.step_id) into strict v_ids from old as o;
    if v_ids is null then
        return 0;
    end if;
    return tenure_private.purge_runs(v_ids, purge.max_rows);
end
$function$;
comment on function tenure.purge(interval, int) is
'Removes runs that ended at least older_than ago, and returns how many rows of all tables went, at most max_rows (1 to 100000); 0: none is left. A run too large for one call takes several, and is hidden from the first of them on.
Errors: TN006 older_than, TN007 max_rows.';
revoke all on function tenure.purge(interval, int) from public;
grant execute on function tenure.purge(interval, int) to tenure_operator;

-- sql/functions/operator/schema_version.sql
create or replace function tenure.schema_version()
returns text
language plpgsql stable parallel safe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
declare
    v_version text;
begin
    select i.version into strict v_version from tenure_private.installation as i;
    return v_version;
end
$function$;
comment on function tenure.schema_version() is 'The installed release of Tenure, such as 0.1.0.';
revoke all on function tenure.schema_version() from public;
grant execute on function tenure.schema_version() to tenure_client, tenure_worker, tenure_operator, tenure_reader;

-- sql/functions/operator/verify_schema.sql
create or replace function tenure.verify_schema()
returns setof tenure.difference
language plpgsql stable parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
begin
    return query
    select coalesce(s.object, c.object), coalesce(s.aspect, c.aspect), s.fact, c.fact
    from tenure_private.shipped as s
    full join tenure_private.catalogue() as c on c.object = s.object and c.aspect = s.aspect
    where s.fact is distinct from c.fact
    order by 1, 2;
end
$function$;
comment on function tenure.verify_schema() is
'One row for each way in which the schema is not as it was installed: a changed body, a lost pin, an extra grant, a missing index, a foreign trigger; none when it is clean.';
revoke all on function tenure.verify_schema() from public;
grant execute on function tenure.verify_schema() to tenure_operator;

-- sql/repeat/triggers.sql
create or replace trigger queue_replace_seed before insert on tenure_private.queue
for each row when (new.queue_id = 1) execute function tenure_private.replace_seed();
create or replace trigger setting_replace_seed before insert on tenure_private.setting
for each row execute function tenure_private.replace_seed();
create or replace trigger high_clock_replace_seed before insert on tenure_private.high_clock
for each row execute function tenure_private.replace_seed();

-- sql/repeat/seal.sql
-- Last: what stands now is what verify_schema() expects to find.
grant usage on schema tenure to tenure_client, tenure_worker, tenure_operator, tenure_reader;
grant select on
tenure.run_status,
tenure.step_status,
tenure.workflow_status,
tenure.attempt_log,
tenure.queue_status,
tenure.quota_status,
tenure.worker_status,
tenure.lease_status,
tenure.queue_grants
to tenure_reader, tenure_operator;

insert into tenure_private.installation (version, installed_at) values ('0.3.0', clock_timestamp())
on conflict on constraint installation_pkey do update set version = excluded.version;

delete from tenure_private.shipped;
insert into tenure_private.shipped (object, aspect, fact)
select
    c.object,
    c.aspect,
    c.fact
from tenure_private.catalogue() as c;

-- What was amiss before an upgrade, and is still as it was found then, was not shipped: a foreign trigger, a missing
-- index, another fillfactor.
do $amiss$
declare
    v_amiss constant jsonb = coalesce(nullif(current_setting('tenure.amiss', true), ''), '[]');
begin
    delete from tenure_private.shipped as s
    using jsonb_populate_recordset(null::tenure.difference, v_amiss) as d
    where s.object = d.object and s.aspect = d.aspect and s.fact = d.found;
    insert into tenure_private.shipped (object, aspect, fact)
    select d.object, d.aspect, d.expected
    from jsonb_populate_recordset(null::tenure.difference, v_amiss) as d
    where d.expected is not null
        and not exists (
            select from tenure_private.shipped as s where s.object = d.object and s.aspect = d.aspect
        )
        -- What was there, and has been dropped by the migration, is not amiss any more.
        and (d.found is null or exists (select from tenure_private.catalogue() as c where c.object = d.object));
end
$amiss$;

-- sql/forms/end.sql
do $caller$
begin
    perform set_config('lock_timeout', current_setting('tenure.caller_lock_timeout'), true);
    perform set_config('role', current_setting('tenure.caller_role'), true);
    perform set_config('search_path', current_setting('tenure.caller_path'), true);
end
$caller$;

commit;
