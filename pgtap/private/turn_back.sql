begin;
select plan(10);
\ir ../session.psql
\ir ../steps.psql

-- The clock stood at 10:00 and stands at 08:00.
select set_clock('10 h');
select tenure.enqueue('1 new', deadline => '1 h', start_within => '30 m');
select tenure.enqueue('2 due already', scheduled_at => '2030-01-01 09:00:00+00');
select tenure.enqueue('3 to come', delay => '3 h');
select tenure.enqueue('4 running');
select tenure.enqueue('5 asleep');
select tenure.enqueue('6 backing off');
select tenure.enqueue('7 done');
select tenure.enqueue('8 long ago', scheduled_at => '2030-01-01 07:00:00+00');
select count(*) from tenure.claim(
    array['default'], 'w', 10, '1 m', array['4 running', '5 asleep', '6 backing off', '7 done']
);
select tenure.heartbeat(4, 'w', 1, '1');
select tenure.sleep(5, 'w', 1, '10 m');
select tenure.fail(6, 'w', 1, '{"type": "E"}', retry_after => '5 m');
select tenure.complete(7, 'w', 1);
create temporary table done as select s.* from tenure_private.step as s where s.step_id = 7;
insert into tenure_private.head (track_id, head) values (1000000, '2030-01-01 09:30:00+00');
select set_clock('8 h');
select tenure_private.turn_back('2030-01-01 08:00:00+00', '2030-01-01 10:00:00+00');

select is(
    shown(1, 'scheduled_at', 'deadline_at', 'start_by'),
    '2030-01-01T08:00:00+00:00 2030-01-01T09:00:00+00:00 2030-01-01T08:30:00+00:00',
    'Limits keep the time that they had left'
);
select is(shown(2, 'scheduled_at'), '2030-01-01T08:00:00+00:00', 'What was due already, is due');
select is(shown(3, 'scheduled_at'), '2030-01-01T13:00:00+00:00', 'What was to come, comes at the caller''s instant');
select is(
    shown(4, 'started_at', 'heartbeat_at', 'lease_expiry', 'progress_at', 'alarm_at'),
    '2030-01-01T08:00:00+00:00 2030-01-01T08:00:00+00:00 2030-01-01T08:01:00+00:00 2030-01-01T08:00:00+00:00'
    ' 2030-01-01T08:00:00+00:00', 'A lease has a ttl from now, and is looked at now'
);
select is(shown(5, 'due_at'), '2030-01-01T08:10:00+00:00', 'A sleep keeps its ten minutes');
select is(shown(6, 'scheduled_at'), '2030-01-01T08:05:00+00:00', 'A backoff its five');
select is_empty(
    'select s.* from tenure_private.step as s where s.step_id = 7 except table done', 'What has ended is not touched'
);
select is(shown(8, 'scheduled_at'), '2030-01-01T07:00:00+00:00', 'Nor what was due before');
select is((tenure_private.newest_head(1000000)).head, '-infinity', 'Every track is read from its start again');
select is(take(), 3::bigint, 'What is due can be claimed: none is lost');

select * from finish();
rollback;
