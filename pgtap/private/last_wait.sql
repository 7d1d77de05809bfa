begin;
select plan(3);

select is(tenure_private.last_wait(1), null, 'None is NULL: R-030');
insert into tenure_private.wait (step_id, key, kind, signal, created_at, outcome, payload)
values
(1, 'a', 'signal', 'go', now(), 'timed_out', null), (1, 'b', 'signal', 'stop', now(), 'arrived', '{"n": 1}'),
(1, 'open', 'sleep', null, now(), null, null), (2, 'other', 'sleep', null, now(), 'due', null);
select is(
    tenure_private.last_wait(1),
    '{"key": "b", "kind": "signal", "signal": "stop", "outcome": "arrived", "payload": {"n": 1}}',
    'The one that began last and has ended, with the name of its signal: R-118'
);
select is(
    tenure_private.last_wait(2), '{"key": "other", "kind": "sleep", "signal": null, "outcome": "due", "payload": null}',
    'A sleep has none'
);

select * from finish();
rollback;
