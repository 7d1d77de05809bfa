begin;
select plan(3);

select is(tenure_private.ended_waits(1), null, 'None is NULL: R-030');
insert into tenure_private.wait (step_id, key, kind, signal, created_at, outcome, payload)
values
(1, 'z', 'sleep', null, now(), 'due', null), (1, 'open', 'sleep', null, now(), null, null),
(1, 'a', 'signal', 'go', now(), 'arrived', 'null'), (1, 'b', 'signal', 'go', now(), 'timed_out', null),
(1, 'c', 'signal', 'go', now(), 'arrived', '{"n": 1}'), (2, 'other', 'sleep', null, now(), 'due', null);
select is(
    tenure_private.ended_waits(1),
    '[{"key": "z", "kind": "sleep", "outcome": "due", "payload": null},
      {"key": "a", "kind": "signal", "outcome": "arrived", "payload": null},
      {"key": "b", "kind": "signal", "outcome": "timed_out", "payload": null},
      {"key": "c", "kind": "signal", "outcome": "arrived", "payload": {"n": 1}}]',
    'Oldest first, open ones and other steps'' left out: R-118'
);
delete from tenure_private.wait as w where w.outcome is not null;
select is(tenure_private.ended_waits(1), null, 'An open one alone is none');

select * from finish();
rollback;
