begin;
select plan(12);

insert into tenure_private.wait (step_id, key, kind, signal, created_at, outcome)
values (2, 'open', 'signal', 'go', now(), null),
(3, 'open', 'signal', 'go', now(), null),
(2, 'over', 'signal', 'go', now(), 'timed_out');
select is(tenure_private.take_signal(1, 2, 'open', 'go'), false, 'Nothing was sent');
insert into tenure_private.signal (run_id, signal, payload, created_at)
values
(1, 'go', '"first"', now()), (1, 'go', null, now()), (1, 'stop', '0', now()), (9, 'go', '0', now());
select is(tenure_private.take_signal(1, 2, 'over', 'go'), false, 'A wait that has ended takes none');
select is(tenure_private.take_signal(1, 2, 'none', 'go'), false, 'Nor one that is not there');
select is((select count(*) from tenure_private.signal), 4::bigint, 'All are kept');
select is(tenure_private.take_signal(1, 2, 'open', 'go'), true, 'An open one takes one');
select is(
    (select concat_ws(' ', w.outcome, w.payload) from tenure_private.wait as w where w.step_id = 2 and w.key = 'open'),
    'arrived "first"',
    'The oldest of its name and run: R-122'
);
select is(
    (select string_agg(s.run_id || s.signal, ' ' order by s.seq) from tenure_private.signal as s), '1go 1stop 9go',
    'Those of other names and runs are left'
);
select is((select count(*) from tenure_private.signal), 3::bigint, 'Which is used up: R-122');
select is(tenure_private.take_signal(1, 2, 'open', 'go'), false, 'And none more: R-122');
select is(
    (select w.outcome from tenure_private.wait as w where w.step_id = 3), null, 'No other wait is touched'
);
update tenure_private.wait set outcome = null, payload = null where step_id = 2;
select is(tenure_private.take_signal(1, 2, 'open', 'go'), true, 'The next has no payload');
select is(
    (
        select w.outcome || coalesce(w.payload::text, ' NULL')
        from tenure_private.wait as w
        where w.step_id = 2 and w.key = 'open'
    ),
    'arrived NULL',
    'It arrived all the same'
);

select * from finish();
rollback;
