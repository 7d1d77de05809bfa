begin;
select plan(13);
\ir ../session.psql

create function first_of(p_track_id int, p_now text, p_from text, p_until text)
returns text
language sql
as $$
select to_char(tenure_private.first_entry(
    p_track_id, ('2030-01-01 ' || p_now || '+00')::timestamptz, ('2030-01-01 ' || p_from || '+00')::timestamptz,
    ('2030-01-01 ' || p_until || '+00')::timestamptz
), 'HH24:MI:SS')
$$;

select tenure.enqueue('job') from generate_series(1, 5);
update tenure_private.step as s
set
    track_id = 1000000, scheduled_at = timestamptz '2030-01-01 00:00:00+00' + s.step_id * interval '10 s',
    alarm_at = timestamptz '2030-01-01 01:00:00+00' + s.step_id * interval '10 s';
update tenure_private.step as s set deadline_at = '2030-01-01 00:01:00+00' where s.step_id = 2;
update tenure_private.step as s set state = 'completed', alarm_at = null where s.step_id = 3;

select is(first_of(1000000, '00:00:59', '00:00:00', '00:10:00'), '00:00:10', 'The first step of the track');
select is(first_of(1000000, '00:00:59', '00:00:11', '00:10:00'), '00:00:20', 'From an instant on');
select is(first_of(1000000, '00:00:59', '00:00:10', '00:10:00'), '00:00:10', 'The instant included');
select is(
    first_of(1000000, '00:01:00', '00:00:11', '00:10:00'), '00:00:40', 'What has expired or ended is passed over: R-169'
);
select is(first_of(1000000, '00:01:00', '00:00:11', '00:00:40'), '00:00:40', 'Where there is none, the end');
select is(first_of(1000000, '00:01:00', '00:00:11', '00:00:39'), '00:00:39', 'Of the span that was asked for');
select is(first_of(1000001, '00:01:00', '00:00:00', '00:00:39'), '00:00:39', 'Another track has its own steps');
select is(first_of(0, '00:01:00', '00:00:00', '02:00:00'), '01:00:10', 'Track 0: the first alarm');
select is(first_of(0, '00:01:00', '01:00:21', '02:00:00'), '01:00:40', 'From an instant on');
select is(first_of(0, '00:01:00', '01:00:51', '02:00:00'), '02:00:00', 'Where there is none, the end');
select is(first_of(0, '00:01:00', '01:00:10', '02:00:00'), '01:00:10', 'The instant itself is in the span');
select is(first_of(0, '00:01:00', '00:00:00', '01:00:10'), '01:00:10', 'The end is where the search ends');
select is(first_of(1000000, '00:00:59', '00:00:00', '00:00:10'), '00:00:10', 'There too');

select * from finish();
rollback;
