begin;
select plan(31);
\ir ../session.psql

select tenure.create_queue('plain');
select is(
    (select to_jsonb(q) - 'queue_id' from tenure_private.queue as q where q.name = 'plain'),
    '{"name": "plain", "timeout_default": null, "timeout_floor": null, "timeout_ceiling": null,
      "retention": "168:00:00", "discarded_retention": "720:00:00", "paused_at": null}'::jsonb,
    'A queue sets no bounds and keeps runs for 7 days, discarded ones for 30: R-024, R-139'
);
select tenure.create_queue('web', 'delivery');
select is(
    (select to_jsonb(q) - 'queue_id' from tenure_private.queue as q where q.name = 'web'),
    '{"name": "web", "timeout_default": "00:00:30", "timeout_floor": "00:00:00.1", "timeout_ceiling": "00:15:00",
      "retention": "168:00:00", "discarded_retention": "720:00:00", "paused_at": null}'::jsonb,
    'The preset delivery: 30 s, 100 ms, 900 s: R-024'
);
select tenure.create_queue(
    'own', 'delivery', timeout_default => '1 m', timeout_floor => '1 s', timeout_ceiling => '2 m', retention => '1 day',
    discarded_retention => '0'
);
select is(
    (select to_jsonb(q) - 'queue_id' from tenure_private.queue as q where q.name = 'own'),
    '{"name": "own", "timeout_default": "00:01:00", "timeout_floor": "00:00:01", "timeout_ceiling": "00:02:00",
      "retention": "24:00:00", "discarded_retention": "00:00:00", "paused_at": null}'::jsonb,
    'What is given beats the preset; a day is 24 h: R-026'
);

-- Again.
select lives_ok($$ select tenure.create_queue('plain') $$, 'The same again does nothing: R-150');
select lives_ok($$ select tenure.create_queue('web', 'delivery') $$, 'With a preset too: R-150');
select lives_ok(
    $$ select tenure.create_queue('web', null, '30 s', '100 ms', '900 s') $$,
    'The same in other words is the same: R-150'
);
select is((select count(*) from tenure.queue_status), 4::bigint, 'There is one of each name');
select
    throws_ok(
        format('select tenure.create_queue(''plain'', %s)', w.arguments), 'TN004', null,
        format('Again with %s is refused: R-150', w.arguments)
    )
from (
    values
    ('preset => ''delivery'''),
    ('timeout_default => ''1 s'''),
    ('timeout_floor => ''1 s'''),
    ('retention => ''1 h'''),
    ('discarded_retention => ''1 h''')
) as w (arguments);
select throws_ok(
    $$ select tenure.create_queue('web') $$, 'TN004', null, 'To say less is to say something else: R-150'
);
select throws_ok(
    $$ select tenure.create_queue('default', 'delivery') $$,
    'TN004',
    null,
    'default is there from the start, and without bounds'
);
select tenure.pause_queue('plain');
select lives_ok($$ select tenure.create_queue('plain') $$, 'A paused queue is the same queue');
select isnt(
    (select q.paused_at from tenure.queue_status as q where q.queue = 'plain'), null, 'And stays paused: R-150'
);

-- Refused.
select
    throws_ok(
        format('select tenure.create_queue(%s)', w.arguments),
        w.code,
        null,
        format('%s is refused', left(w.arguments, 60))
    )
from (
    values
    ('null', 'TN005'),
    ('''''', 'TN005'),
    (format('%L', repeat('q', 1001)), 'TN005'),
    ('''q'', ''fast''', 'TN007'),
    ('''q'', ''''', 'TN007'),
    ('''q'', timeout_default => ''1 mon''', 'TN006'),
    ('''q'', timeout_floor => ''-1 s''', 'TN006'),
    ('''q'', timeout_ceiling => ''101 years''', 'TN006'),
    ('''q'', retention => ''-1 s''', 'TN006'),
    ('''q'', discarded_retention => ''1 mon''', 'TN006'),
    ('''q'', timeout_default => ''1 s'', timeout_floor => ''2 s''', 'TN007'),
    ('''q'', timeout_default => ''3 s'', timeout_ceiling => ''2 s''', 'TN007'),
    ('''q'', timeout_floor => ''3 s'', timeout_default => ''3 s'', timeout_ceiling => ''2 s''', 'TN007'),
    ('''q'', ''delivery'', timeout_default => ''1 h''', 'TN007')
) as w (arguments, code);
select is((select count(*) from tenure.queue_status), 4::bigint, 'Nothing was written: R-145');

select * from finish();
rollback;
