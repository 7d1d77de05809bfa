begin;
select plan(14);
\ir ../session.psql
\ir ../steps.psql

create function renewed(
    p_step_ids bigint[], p_generations bigint[], p_progress jsonb default null, p_owner text default 'w'
)
returns text
language sql
as $$
select string_agg(concat_ws(' ', r.step_id, r.verdict, to_char(r.lease_expiry, 'HH24:MI:SS'), r.time_left), ', ')
from tenure_private.renew(p_step_ids, p_owner, p_generations, p_progress) as r
$$;

select tenure.enqueue('1 plain');
select tenure.enqueue('2 timeout', timeout => '1 m');
select tenure.enqueue('3 waits', timeout => '1 m', on_timeout => 'wait');
select tenure.enqueue('4 waits to its end', timeout => '30 s', deadline => '1 m', on_timeout => 'wait');
select tenure.enqueue('5 done');
select tenure.enqueue('6 cancelled');
select count(*) from tenure.claim(array['default'], 'w', 10, '20 s');
select tenure.complete(5, 'w', 1);
select tenure.cancel(6);
select set_clock('10 s');
select is(
    renewed('{1,2,5,6,99}', '{1,1,1,1,1}'),
    '1 renewed 00:00:30, 2 renewed 00:00:30 00:00:50, 5 lost, 6 cancelled, 99 lost',
    'Each for itself, in order, by the ttl of its claim: R-040, R-041, R-045'
);
select is(
    renewed('{1,1}', '{2,1}'), '1 lost, 1 renewed 00:00:30',
    'A pair of another generation is lost, whoever else has the id'
);
select is(renewed('{1}', '{1}', p_owner => 'x'), '1 lost', 'So is one of another owner: R-041');
select is(renewed('{1}', '{1}', '{"n": 1}'), '1 renewed 00:00:30', 'With progress');
select is(
    shown(1, 'progress', 'progress_at', 'heartbeat_at'), '{"n": 1} 2030-01-01T00:00:10+00:00 2030-01-01T00:00:10+00:00',
    'Stored: R-044'
);
select set_clock('11 s');
select renewed('{1}', '{1}');
select is(
    shown(1, 'progress', 'progress_at', 'heartbeat_at'), '{"n": 1} 2030-01-01T00:00:10+00:00 2030-01-01T00:00:11+00:00',
    'NULL is no progress: R-021'
);
select renewed('{1}', '{1}', 'null');
select is(shown(1, 'progress', 'progress_at'), '- 2030-01-01T00:00:11+00:00', 'JSON null is: R-021');
select set_clock('59 s');
select is(
    renewed('{2}', '{1}'), '2 renewed 00:01:19 00:00:01', 'A lease that is over and was not swept is renewed: R-043'
);
select set_clock('1 m');
select is(renewed('{2}', '{1}'), '2 timed_out 00:01:19 00:00:00', 'Past the timeout it is not: R-042');
select is(renewed('{3}', '{1}'), '3 timed_out 00:01:20 00:00:00', 'Under wait it is, and says so all the same: R-096');
select is(renewed('{4}', '{1}'), '4 timed_out 00:00:20 00:00:00', 'But not past the deadline: R-097');

-- The alarm may be early but never late.
select tenure.enqueue('7 alarm');
select count(*) from tenure.claim(array['default'], 'w', 1, '1 h', array['7 alarm']);
select is(shown(7, 'alarm_at'), '2030-01-01T01:01:00+00:00', 'At the end of the lease');
select set_clock('2 m');
select renewed('{7}', '{1}');
select is(
    shown(7, 'alarm_at'), '2030-01-01T01:01:00+00:00', 'A later end does not move it: no index is written, R-168'
);
update tenure_private.step set lease_ttl = '1 s' where step_id = 7;
select renewed('{7}', '{1}');
select is(shown(7, 'alarm_at'), '2030-01-01T00:02:01+00:00', 'A nearer one does: R-047');

select * from finish();
rollback;
