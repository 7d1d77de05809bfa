begin;
select plan(9);
\ir ../session.psql
\ir ../steps.psql

create function alarm_of(p_step_id bigint)
returns text
language sql
as $$ select to_char(s.alarm_at, 'HH24:MI:SS') from tenure_private.step as s where s.step_id = p_step_id $$;

select tenure.enqueue('1 renewed');
select tenure.enqueue('2 crashed');
select tenure.enqueue('3 timed out', timeout => '10 s');
select tenure.enqueue('4 waits', timeout => '10 s', on_timeout => 'wait');
select tenure.enqueue('5 waits to its end', timeout => '10 s', deadline => '30 s', on_timeout => 'wait');
select tenure.enqueue('6 to come', timeout => '5 m');
select tenure.enqueue('7 asleep');
select count(*) from tenure.claim(array['default'], 'w', 10, '30 s');
select tenure.sleep(7, 'w', 1, '30 s');
select set_clock('20 s');
select tenure.heartbeat(s.step_id, 'w', 1) from unnest(array[1, 4, 5, 6]) as s (step_id);
select set_clock('30 s');
select tenure_private.rearm('-infinity', tenure_private.clock());
select is(alarm_of(1), '00:00:50', 'A lease that was renewed since: its new end, R-087');
select is(alarm_of(2), '00:00:30', 'One that ends now is left for the sweep');
select is(alarm_of(3), '00:00:10', 'So is a limit that has passed');
select is(alarm_of(4), '00:00:50', 'Unless it waits for its body: R-095');
select is(alarm_of(5), '00:00:30', 'Which a deadline does not: R-097');
select is(alarm_of(6), '00:00:50', 'A limit to come counts as well');
select is(alarm_of(7), '00:00:30', 'What does not run is left for the sweep');
select tenure_private.rearm('2030-01-01 00:00:51+00', '2030-01-01 00:10:00+00');
select is(alarm_of(1), '00:00:50', 'What is before the floor is not looked at');

-- More than one set of a thousand.
delete from tenure_private.step;
select count(*) from tenure.enqueue_many((select jsonb_agg('{"name": "n"}'::jsonb) from generate_series(1, 2500)));
select count(*) from tenure.claim(array['default'], 'w', 1000, '30 s');
select count(*) from tenure.claim(array['default'], 'w', 1000, '30 s');
select count(*) from tenure.claim(array['default'], 'w', 1000, '30 s');
update tenure_private.step as s set lease_expiry = '2030-01-01 02:00:00+00';
select tenure_private.rearm('-infinity', '2030-01-01 01:01:00+00');
select is(
    (select count(*) from tenure_private.step as s where s.alarm_at = '2030-01-01 02:00:00+00'), 2500::bigint,
    'All that are due, however many'
);

select * from finish();
rollback;
