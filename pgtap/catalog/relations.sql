begin;
select plan(15);

select set_eq(
    $$select c.relname from pg_class as c where c.relnamespace = 'tenure'::regnamespace and c.relkind = 'v'$$,
    array[
        'run_status', 'step_status', 'workflow_status', 'attempt_log', 'queue_status', 'quota_status', 'worker_status',
        'lease_status', 'queue_grants'
    ],
    'The views, and no others'
);
select is_empty(
    $$select c.relname from pg_class as c
    where c.relnamespace = 'tenure'::regnamespace and c.relkind not in ('v', 'c')$$,
    'Nothing else to read is in tenure: tables are in tenure_private'
);
select is_empty(
    $$select c.oid::regclass from pg_class as c
    where c.relnamespace in ('tenure'::regnamespace, 'tenure_private'::regnamespace)
        and pg_get_userbyid(c.relowner) <> 'tenure_owner'$$,
    'All belongs to tenure_owner'
);
select is_empty(
    $$select c.oid::regclass from pg_class as c
    where c.relnamespace in ('tenure'::regnamespace, 'tenure_private'::regnamespace) and c.relkind in ('r', 'v', 'p', 'm')
        and obj_description(c.oid, 'pg_class') is null$$,
    'Each table and view has a comment: R-161'
);
select is_empty(
    $$select t.oid::regtype from pg_type as t join pg_class as c on c.oid = t.typrelid
    where t.typnamespace in ('tenure'::regnamespace, 'tenure_private'::regnamespace) and c.relkind = 'c'
        and obj_description(t.oid, 'pg_type') is null$$,
    'Each type has a comment: R-161'
);
select is_empty(
    $$select n.nspname from pg_namespace as n
    where n.nspname in ('tenure', 'tenure_private') and obj_description(n.oid, 'pg_namespace') is null$$,
    'Each schema has a comment: R-161'
);

-- The indexes of the one large table, to the letter: queries must match their predicates.
select set_eq(
    $$select regexp_replace(pg_get_indexdef(i.indexrelid), '.* USING btree ', '')
    from pg_index as i where i.indrelid = 'tenure_private.step'::regclass$$,
    array[
        '(step_id)',
        '(track_id, scheduled_at, step_id) WHERE (state = ''available''::text)',
        '(alarm_at) WHERE (alarm_at IS NOT NULL)',
        '(finished_at) WHERE ((finished_at IS NOT NULL) AND (parent_id IS NULL))',
        '(root_id, step_id) WHERE (parent_id IS NOT NULL)',
        '(step_id) INCLUDE (root_id) WHERE (parent_id IS NOT NULL)'
    ],
    'The indexes of step: R-166, R-167'
);
select is_empty(
    $$select a.attname from pg_index as i
    join pg_attribute as a on a.attrelid = i.indrelid and a.attnum = any(i.indkey)
    where i.indrelid = 'tenure_private.step'::regclass
        and a.attname in ('lease_expiry', 'heartbeat_at', 'progress', 'progress_at')$$,
    'No index names what a heartbeat writes: R-168'
);
select is_empty(
    $$select a.attname from pg_index as i
    join pg_attribute as a on a.attrelid = i.indrelid
    where i.indrelid = 'tenure_private.step'::regclass
        and a.attname in ('lease_expiry', 'heartbeat_at', 'progress', 'progress_at')
        and strpos(pg_get_expr(i.indpred, i.indrelid), a.attname) > 0$$,
    'Nor does a predicate: R-168'
);
select is_empty(
    $$select i.indexrelid::regclass from pg_index as i
    join pg_class as c on c.oid = i.indrelid
    where c.relnamespace = 'tenure_private'::regnamespace and not (i.indisvalid and i.indisready)$$,
    'All indexes are valid'
);
select ok(
    (
        select o.option_value::int between 50 and 70
        from pg_class as c
        cross join lateral pg_options_to_table(c.reloptions) as o
        where c.oid = 'tenure_private.step'::regclass and o.option_name = 'fillfactor'
    ),
    'Its pages keep room for new row versions: R-168'
);
select is_empty(
    $$select t.tgname from pg_trigger as t join pg_class as c on c.oid = t.tgrelid
    where c.relnamespace in ('tenure'::regnamespace, 'tenure_private'::regnamespace) and not t.tgisinternal
        and t.tgfoid <> 'tenure_private.replace_seed'::regproc$$,
    'Nothing but the restore of seeded rows happens by trigger'
);
select is_empty(
    $$select k.conname from pg_constraint as k
    where k.conrelid = 'tenure_private.step'::regclass and k.contype = 'f'$$,
    'No foreign key locks rows of step'
);
select ok(
    (
        select s.seqmax <= 281474976710655
        from pg_sequence as s
        where s.seqrelid = 'tenure_private.step_id_seq'::regclass
    ),
    'Ids leave the bits above the 48th to a shard: R-002'
);
select ok(tenure.enqueue('a') < tenure.enqueue('a'), 'Ids rise: R-002');

select * from finish();
rollback;
