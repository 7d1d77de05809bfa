begin;
select plan(34);
\ir ../session.psql

-- A definition that says nothing changes nothing.
select tenure.define_step('bare');
select tenure.enqueue('bare');
select is(
    shown(
        1,
        'queue',
        'priority',
        'timeout',
        'deadline',
        'max_attempts',
        'backoff',
        'max_reclaims',
        'on_timeout',
        'headers',
        'start_within', 'progress_timeout'
    ),
    'default 0 - - 5 - 10 abandon - - -', 'Where the definition is silent, the built-in default holds: R-016, R-076'
);

-- call > definition > queue > built-in.
select tenure.create_queue('io', timeout_default => '10 s');
select tenure.define_step(
    'mail', queue => 'io', priority => 5, timeout => '30 s', deadline => '1 h', max_attempts => 2,
    backoff => '{"kind": "fixed", "base": 4}',
    max_reclaims => 1,
    on_timeout => 'wait',
    headers => '{"from": "definition"}',
    start_within => '10 m', progress_timeout => '6 s', idempotency_period => '1 h'
);
select tenure.enqueue('mail', idempotency_key => 'k');
select is(
    shown(
        2,
        'queue',
        'priority',
        'timeout',
        'deadline',
        'max_attempts',
        'backoff',
        'max_reclaims',
        'on_timeout',
        'headers',
        'start_within', 'progress_timeout', 'deadline_at', 'start_by'
    ),
    'io 5 00:00:30 01:00:00 2 {"base": 4, "kind": "fixed"} 1 wait {"from": "definition"} 00:10:00 00:00:06'
    ' 2030-01-01T01:00:00+00:00 2030-01-01T00:10:00+00:00',
    'What the call leaves open, the definition says: R-016, R-134'
);
select tenure.create_queue('web');
select tenure.enqueue(
    'mail',
    queue => 'web',
    priority => -5,
    timeout => '0',
    deadline => '2 h',
    max_attempts => 9,
    backoff => '{"base": 3}',
    max_reclaims => -1, on_timeout => 'abandon', headers => '{"from": "call"}', start_within => '20 m',
    progress_timeout => '7 s'
);
select is(
    shown(
        3,
        'queue',
        'priority',
        'timeout',
        'deadline',
        'max_attempts',
        'backoff',
        'max_reclaims',
        'on_timeout',
        'headers',
        'start_within', 'progress_timeout'
    ),
    'web -5 00:00:00 02:00:00 9 {"base": 3} - abandon {"from": "call"} 00:20:00 00:00:07',
    'What the call says, beats the definition: R-016, R-017'
);
select tenure.define_step('sms', queue => 'io');
select tenure.enqueue('sms');
select is(shown(4, 'queue', 'timeout'), 'io 00:00:10', 'The queue of the definition gives its timeout: R-016');
select tenure.define_step('fax', timeout => '20 s');
select tenure.enqueue('fax', queue => 'io');
select is(shown(5, 'queue', 'timeout'), 'io 00:00:20', 'The timeout of the definition beats the queue''s: R-016');
select tenure.define_step('once', max_attempts => 0);
select tenure.enqueue('once');
select is(shown(6, 'max_attempts'), '1', 'max_attempts 0 is one here too: R-076');
select tenure.define_step('ever', max_reclaims => -1);
select tenure.enqueue('ever');
select is(shown(7, 'max_reclaims'), '-', 'max_reclaims -1 is no bound here too: R-071');
select set_clock('1 h');
alter sequence tenure_private.step_id_seq restart with 20;
select is(tenure.enqueue('mail', idempotency_key => 'k'), 20::bigint, 'The period of keys is the definition''s: R-129');
select set_clock('0');

-- Defined again.
select tenure.define_step('mail', timeout => '99 s');
select is(shown(2, 'timeout', 'queue'), '00:00:30 io', 'Steps that are there stay as they are: R-134');
select tenure.enqueue('mail');
select is(
    shown(
        21,
        'queue',
        'priority',
        'timeout',
        'deadline',
        'max_attempts',
        'backoff',
        'max_reclaims',
        'on_timeout',
        'headers',
        'start_within', 'progress_timeout'
    ),
    'default 0 00:01:39 - 5 - 10 abandon - - -', 'A new definition takes the whole place of the old: R-134'
);
select
    is(
        (select count(*) from tenure_private.definition as d where d.name = 'mail'), 1::bigint, 'There is one of a name'
    );
create temporary table written as
select d.ctid as place from tenure_private.definition as d where d.name = 'mail';
select tenure.define_step('mail', timeout => '99 s');
select is(
    (select d.ctid from tenure_private.definition as d where d.name = 'mail'), (select w.place from written as w),
    'The same again writes nothing'
);

-- Refused.
delete from tenure_private.definition;
select
    throws_ok(
        format('select tenure.define_step(%s)', w.arguments), w.code, null, format('%s is refused', w.arguments)
    )
from (
    values
    ('null', 'TN005'),
    ('''''', 'TN005'),
    ('''x'', queue => ''nowhere''', 'TN003'),
    ('''x'', queue => ''''', 'TN005'),
    ('''x'', priority => 101', 'TN007'),
    ('''x'', priority => -101', 'TN007'),
    ('''x'', max_reclaims => -2', 'TN007'),
    ('''x'', on_timeout => ''kill''', 'TN007'),
    ('''x'', backoff => ''{"base": "1"}''', 'TN007'),
    ('''x'', headers => ''1''', 'TN007'),
    ('''x'', timeout => ''1 mon''', 'TN006'),
    ('''x'', deadline => ''-1 s''', 'TN006'),
    ('''x'', start_within => ''1 mon''', 'TN006'),
    ('''x'', progress_timeout => ''-1 us''', 'TN006'),
    ('''x'', idempotency_period => ''1000 years''', 'TN006'),
    ('''x'', quota => ''http''', 'TN015'),
    ('''x'', quota_units => 0', 'TN007'),
    ('''x'', quota_units => null', 'TN007')
) as w (arguments, code);
select throws_ok(
    $$ select tenure.define_step('x', headers => jsonb_build_object('h', repeat('x', 65536))) $$, 'TN008', null,
    'Headers over 64 kB are refused: R-149'
);
select tenure.create_queue('tight', 'delivery');
select throws_ok(
    $$ select tenure.define_step('x', queue => 'tight', timeout => '1 h') $$, 'TN009', null,
    'A timeout out of the bounds of its queue is refused: R-023'
);
select is_empty('select from tenure_private.definition', 'Nothing was written: R-145');
select tenure.define_step('x', timeout => '1 h');
select throws_ok(
    $$ select tenure.enqueue('x', queue => 'tight') $$, 'TN009', null,
    'A definition''s timeout is held to the bounds of the queue that the call names: R-023'
);

select * from finish();
rollback;
