begin;
select plan(44);
\ir ../session.psql
\ir ../steps.psql

-- Sweeps, claims, and tells what ended the last wait and which waits have ended.
create function next_claim(p_step_id bigint, p_what text)
returns jsonb
language plpgsql
as $$
declare
    v_claimed tenure.claimed;
begin
    perform tenure.sweep();
    select c.* into v_claimed from tenure.claim(array['default'], 'w', 1000) as c where c.step_id = p_step_id;
    return case p_what when 'signal' then v_claimed.signal else v_claimed.waits end;
end
$$;

-- Delivered.
select tenure.enqueue('t');
select take();
select is(tenure.wait_signal(1, 'w', 1, 'go', '30 s'), 'waiting', 'Waiting: R-074');
select is(
    (select s.due_at from tenure.step_status as s where s.step_id = 1), '2030-01-01 00:00:30+00', 'It says until when'
);
select is(tenure.wait_signal(1, 'w', 1, 'other'), 'waiting', 'The same report again: R-050');
select is(tenure.signal(1, 'other', '0'), 'kept', 'A signal of another name is kept: R-124, R-123');
select is(shown(1) ->> 'state', 'waiting_signal', 'And ends nothing');
select is(tenure.signal(1, 'go', '{"n": 1}'), 'delivered', 'The one it waits for is delivered: R-124');
select is(shown(1) ->> 'state', 'available', 'Due at once');
select is(tenure.signal(1, 'go', '{"n": 2}'), 'kept', 'A second one is kept: R-122, R-124');
select is(
    next_claim(1, 'signal'),
    '{"key": "signal:go:1", "kind": "signal", "signal": "go", "outcome": "arrived", "payload": {"n": 1}}'::jsonb,
    'The next claim tells what ended the wait: R-118, R-119'
);

-- Kept ones: first in, first out, each once.
select tenure.signal(1, 'go', '{"n": 3}');
select is(tenure.wait_signal(1, 'w', 2, 'go'), 'waiting', 'A wait for one that is kept');
select is(shown(1) ->> 'state', 'available', 'Ends at once: R-123');
select is(next_claim(1, 'signal') -> 'payload', '{"n": 2}', 'The oldest first: R-122');
select tenure.wait_signal(1, 'w', 3, 'go');
select is(next_claim(1, 'signal') -> 'payload', '{"n": 3}', 'Then the next: R-122');
select tenure.wait_signal(1, 'w', 4, 'go');
select is(shown(1) ->> 'state', 'waiting_signal', 'None is given twice: R-122');
select is(tenure.signal(1, 'go'), 'delivered', 'One without a payload');
select is(
    next_claim(1, 'waits'),
    '[{"key": "signal:go:1", "kind": "signal", "outcome": "arrived", "payload": {"n": 1}},
      {"key": "signal:go:2", "kind": "signal", "outcome": "arrived", "payload": {"n": 2}},
      {"key": "signal:go:3", "kind": "signal", "outcome": "arrived", "payload": {"n": 3}},
      {"key": "signal:go:4", "kind": "signal", "outcome": "arrived", "payload": null}]'::jsonb,
    'All are kept, oldest first: R-118, R-119'
);
select tenure.wait_signal(1, 'w', 5, 'other');
select is(next_claim(1, 'signal') ->> 'key', 'signal:other:1', 'Each name is counted for itself: R-119');

-- A key that has ended takes no other signal.
select tenure.signal(1, 'go', '"next"');
select is(tenure.wait_signal(1, 'w', 6, 'go', key => 'signal:go:1'), 'waiting', 'Under a key that has ended');
select is(shown(1) ->> 'state', 'available', 'It ends at once: R-120');
select is(next_claim(1, 'waits') -> 0 -> 'payload', '{"n": 1}', 'With the outcome recorded first: R-120');
select tenure.release(1, 'w', 7);
select is(next_claim(1, 'signal') ->> 'key', 'signal:go:1', 'which is what ended the last wait: R-118');
select tenure.sleep(1, 'w', 8, '0', 'nap');
select is(next_claim(1, 'signal') ->> 'key', 'nap', 'until there is another: R-118');
select tenure.fail(1, 'w', 9, '"e"', retry_after => '0');
select is(jsonb_array_length(next_claim(1, 'waits')), 6, 'All survive attempts: R-121');
select tenure.wait_signal(1, 'w', 10, 'go', key => 'my own');
select is(
    next_claim(1, 'signal'),
    '{"key": "my own", "kind": "signal", "signal": "go", "outcome": "arrived", "payload": "next"}'::jsonb,
    'The signal is still there for a new key: R-122'
);
select tenure.complete(1, 'w', 11);
select is(tenure.signal(1, 'go'), 'over', 'A run that has ended gets none: R-124');

-- The time-out.
select tenure.enqueue('t');
select take();
select tenure.wait_signal(2, 'w', 1, 'go', '30 s');
select set_clock('30 s');
select is(tenure.signal(2, 'go', '"late"'), 'kept', 'At its time-out a wait gets no signal any more, unswept: R-125');
select is(
    next_claim(2, 'signal'),
    '{"key": "signal:go:1", "kind": "signal", "signal": "go", "outcome": "timed_out", "payload": null}'::jsonb,
    'It timed out: R-125'
);
select tenure.wait_signal(2, 'w', 2, 'go', '30 s');
select is(next_claim(2, 'signal') -> 'payload', '"late"', 'The next wait gets it: R-123, R-125');
select tenure.wait_signal(2, 'w', 3, 'go');
select set_clock('800000 h');
select is(next_claim(2, 'signal'), null, 'Without a timeout it waits without end: R-125');
select is(shown(2) ->> 'state', 'waiting_signal', 'Still');
select is(tenure.signal(2, 'go', '"at last"'), 'delivered', 'Until it comes');
select is(tenure.sweep(), row(0, 0, 0, 0, null)::tenure.sweep_report, 'And no time-out after that: R-125');

-- A time-out of no time at all.
select set_clock('0');
select tenure.enqueue('t');
select take();
select tenure.wait_signal(3, 'w', 1, 'go', '0');
select is(next_claim(3, 'signal') ->> 'outcome', 'timed_out', 'A timeout of 0 has passed at once');
select tenure.signal(3, 'go', '1');
select tenure.wait_signal(3, 'w', 2, 'go', '0');
select is(next_claim(3, 'signal') ->> 'outcome', 'arrived', 'But a kept signal is there before it');

-- A wait that a deadline cut short must take nobody's signal after a retry.
select tenure.enqueue('t', deadline => '10 s');
select take();
select tenure.wait_signal(4, 'w', 1, 'go', key => 'before');
select set_clock('30 s');
select swept();
select is(tenure.signal(4, 'go'), 'over', 'Discarded, it gets none');
select tenure.retry(4);
select set_clock('31 s');
select take();
select tenure.wait_signal(4, 'w', 2, 'other', key => 'after');
select is(tenure.signal(4, 'go', '1'), 'kept', 'The old wait is over: R-122');
select is(shown(4) ->> 'state', 'waiting_signal', 'The new one goes on');
select is(tenure.signal(4, 'other', '2'), 'delivered', 'Its own signal ends it');

-- Errors.
select throws_ok($$select tenure.wait_signal(3, 'w', 3, null)$$, 'TN005', null, 'No signal: R-147');
select throws_ok($$select tenure.wait_signal(3, 'w', 3, '')$$, 'TN005', null, 'An empty signal: R-147');
select throws_ok($$select tenure.wait_signal(3, 'w', 3, 's', '1 mon')$$, 'TN006', null, 'Months: R-025');
select throws_ok($$select tenure.wait_signal(3, 'w', 3, 's', key => '')$$, 'TN005', null, 'An empty key: R-147');
select throws_ok($$select tenure.wait_signal(3, '', 3, 's')$$, 'TN005', null, 'An empty owner: R-147');
select is(tenure.wait_signal(3, 'v', 3, 's'), 'stale', 'Without the lease: R-049');

select * from finish();
rollback;
