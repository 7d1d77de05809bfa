begin;
select plan(22);
\ir ../session.psql
\ir ../steps.psql

create function begun(p_verb text, p_pause interval, p_key text default null, p_signal text default null)
returns text
language plpgsql
as $$
declare
    v_ask tenure_private.ask := tenure_private.ask_for(p_verb);
    v_outcome tenure_private.outcome;
begin
    v_ask.pause := p_pause;
    v_ask.wait_key := p_key;
    v_ask.signal := p_signal;
    select o.* into v_outcome
    from tenure_private.step as s
    cross join lateral tenure_private.begin_wait(s, tenure_private.clock(), v_ask) as o
    where s.step_id = 1;
    return concat_ws(' ', v_outcome.verdict, v_outcome.state, to_char(v_outcome.due_at, 'HH24:MI:SS'));
end
$$;
create function waits()
returns text
language sql
as $$
select string_agg(concat_ws(' ', w.key, w.kind, w.signal, w.outcome, w.payload), ', ' order by w.seq)
from tenure_private.wait as w
$$;

select tenure.enqueue('job');
select take();
select is(begun('sleep', '10 s'), 'sleeping waiting_timer 00:00:10', 'A sleep ends after its time: R-073');
select is(waits(), 'sleep:1 sleep', 'Under the default key: R-119');
select is(begun('sleep', '20 s'), 'sleeping waiting_timer 00:00:20', 'One that never ended is replaced');
select is(waits(), 'sleep:1 sleep', 'It leaves no trace');
update tenure_private.wait set outcome = 'due';
select is(begun('sleep', '10 s'), 'sleeping waiting_timer 00:00:10', 'The next one');
select is(waits(), 'sleep:1 sleep due, sleep:2 sleep', 'has the next key: R-119');
update tenure_private.wait set outcome = 'due';
select is(
    begun('sleep', '10 s', 'sleep:1'), 'sleeping available', 'Under a key that has ended nothing is waited for: R-120'
);
select is(waits(), 'sleep:1 sleep due, sleep:2 sleep due', 'And nothing recorded anew: R-120');
select is(tenure_private.last_wait(1) ->> 'key', 'sleep:1', 'It is what ended the wait that was asked for last: R-118');
select is(begun('sleep', '0', 'nap'), 'sleeping waiting_timer 00:00:00', 'A sleep of 0 is one');
update tenure_private.wait set outcome = 'due';

select is(
    begun('wait_signal', null, null, 'go'), 'waiting waiting_signal', 'A signal wait without a time-out: R-074, R-125'
);
select is(
    waits(), 'sleep:1 sleep due, sleep:2 sleep due, nap sleep due, signal:go:1 signal go',
    'Under its default key: R-119'
);
update tenure_private.wait set outcome = 'timed_out' where outcome is null;
select is(begun('wait_signal', '5 s', null, 'go'), 'waiting waiting_signal 00:00:05', 'The next one, with a time-out');
update tenure_private.wait set outcome = 'timed_out' where outcome is null;
select is(begun('wait_signal', '5 s', null, 'stop'), 'waiting waiting_signal 00:00:05', 'One for another signal');
select alike(
    waits(), '%, signal:go:2 signal go timed_out, signal:stop:1 signal stop', 'Each signal is counted for itself: R-119'
);
update tenure_private.wait set outcome = 'timed_out' where outcome is null;
insert into tenure_private.signal (run_id, signal, payload, created_at)
values (1, 'go', '1', '2030-01-01 00:00:00+00'), (1, 'go', '2', '2030-01-01 00:00:00+00');
select is(
    begun('wait_signal', '5 s', null, 'go'), 'waiting available',
    'A signal that is here already ends it at once: R-123'
);
select alike(waits(), '%, signal:go:3 signal go arrived 1', 'The oldest: R-122');
select is(
    begun('wait_signal', '5 s', 'signal:go:2', 'go'), 'waiting available',
    'A wait that timed out once is not waited for again'
);
select alike(waits(), '%, signal:go:2 signal go timed_out, %', 'Nor does a signal change it: R-120');
select is((select count(*) from tenure_private.signal), 1::bigint, 'Which is kept for the next wait: R-122');
select is(begun('sleep', '5 s', 'signal:go:2'), 'sleeping available', 'A key is a key, whatever it was used for');

select is(tenure_private.last_wait(1) ->> 'key', 'signal:go:2', 'It is the last again: R-118');

select * from finish();
rollback;
