begin;
select plan(22);
\ir ../session.psql

create function settings(p_name text)
returns text
language sql
as $$
select concat_ws(
    ' ', coalesce(q.timeout_default::text, '-'), coalesce(q.timeout_floor::text, '-'), coalesce(q.timeout_ceiling::text, '-'),
    q.retention, q.discarded_retention
)
from tenure.queue_status as q
where q.queue = p_name
$$;

select tenure.create_queue('q');
select tenure.alter_queue('q');
select is(settings('q'), '- - - 168:00:00 720:00:00', 'NULL leaves as it is');
select tenure.alter_queue('q', timeout_default => '1 m', retention => '1 day');
select is(settings('q'), '00:01:00 - - 24:00:00 720:00:00', 'What is given changes, and nothing else');
select tenure.alter_queue('q', timeout_floor => '1 s', timeout_ceiling => '2 m', discarded_retention => '2 days');
select is(settings('q'), '00:01:00 00:00:01 00:02:00 24:00:00 48:00:00', 'One after the other');
select tenure.enqueue('mail', queue => 'q', timeout => '90 s');
select tenure.alter_queue('q', timeout_ceiling => '1 m');
select is(shown(1, 'timeout'), '00:01:30', 'Steps that are there keep their timeout: R-134');
select throws_ok(
    $$ select tenure.enqueue('mail', queue => 'q', timeout => '90 s') $$,
    'TN009',
    null,
    'New ones are held to the new bounds: R-023'
);
select tenure.alter_queue('q', clear => '{timeout_ceiling}');
select is(settings('q'), '00:01:00 00:00:01 - 24:00:00 48:00:00', 'clear takes a bound away');
select tenure.alter_queue('q', timeout_default => '2 m', clear => '{timeout_default,timeout_floor}');
select is(settings('q'), '00:02:00 - - 24:00:00 48:00:00', 'What is given beats clear');
select tenure.alter_queue('q', clear => '{}');
select is(settings('q'), '00:02:00 - - 24:00:00 48:00:00', 'Nothing cleared is nothing changed');
select lives_ok($$ select tenure.create_queue('q', timeout_default => '2 m', retention => '1 day',
    discarded_retention => '2 days') $$, 'create_queue knows it by its new settings: R-150');
select tenure.pause_queue('q');
select tenure.alter_queue('q', timeout_default => '3 m');
select isnt(
    (select q.paused_at from tenure.queue_status as q where q.queue = 'q'), null, 'A paused queue stays paused'
);

select
    throws_ok(
        format('select tenure.alter_queue(%s)', w.arguments), w.code, null, format('%s is refused', w.arguments)
    )
from (
    values
    ('''nowhere''', 'TN003'),
    ('null', 'TN005'),
    ('''''', 'TN005'),
    ('''q'', timeout_default => ''1 mon''', 'TN006'),
    ('''q'', timeout_floor => ''-1 s''', 'TN006'),
    ('''q'', retention => ''-1 s''', 'TN006'),
    ('''q'', discarded_retention => ''1 year''', 'TN006'),
    ('''q'', timeout_floor => ''4 m''', 'TN007'),
    ('''q'', timeout_ceiling => ''1 m''', 'TN007'),
    ('''q'', clear => ''{retention}''', 'TN007'),
    ('''q'', clear => ''{null}''', 'TN007')
) as w (arguments, code);
select is(settings('q'), '00:03:00 - - 24:00:00 48:00:00', 'Nothing was written: R-145');

select * from finish();
rollback;
