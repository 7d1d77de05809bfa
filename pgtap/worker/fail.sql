begin;
select plan(28);
\ir ../session.psql
\ir ../steps.psql
select tenure.define_step('t', backoff => '{"kind": "fixed", "base": 10, "jitter": 0}');

select tenure.enqueue('t') from generate_series(1, 20);
select take();

-- Errors as they come.
select is(tenure.fail(1, 'w', 1, null), 'retrying', 'Without an error');
select is(shown(1) -> 'error' ->> 'message', 'no error was given', 'One is stored that says so: R-057');
select is(tenure.fail(2, 'w', 1, '"just text"'), 'retrying', 'A text');
select is(shown(2) -> 'error', '"just text"', 'Is stored as it is: R-056');
select is(tenure.fail(3, 'w', 1, '[1, 2]'), 'retrying', 'An array');
select is(shown(3) -> 'error', '[1, 2]', 'Is stored as it is: R-056');
select is(tenure.fail(4, 'w', 1, 'null'), 'retrying', 'JSON null');
select is(
    (select s.error from tenure.step_status as s where s.step_id = 4), 'null'::jsonb, 'Is stored as it is: R-056'
);
select tenure.fail(
    5, 'w', 1,
    jsonb_build_object('type', 'E', 'message', repeat('m', 100000), 'traceback', repeat('t', 10000000) || 'end')
);
select is(shown(5) -> 'error' ->> 'type', 'E', 'Ten megabytes of traceback: the type stays: R-056');
select ok(pg_column_size(shown(5) -> 'error') <= 65536, 'All of it is at most 64 kB: R-056');
select is(right(shown(5) -> 'error' ->> 'traceback', 4), 'tend', 'The end of the traceback stays: R-056');
select is(left(shown(5) -> 'error' ->> 'message', 3), 'mmm', 'And the beginning of the message');
select is(shown(5) -> 'error' -> 'cut', 'true', 'It says that it was cut: R-056');
select tenure.fail(
    6, 'w', 1, jsonb_build_object('message', repeat(chr(128512), 100000), 'traceback', repeat('ü', 100000))
);
select ok(pg_column_size(shown(6) -> 'error') <= 65536, 'Characters of four bytes: R-056');
select tenure.fail(7, 'w', 1, to_jsonb(repeat('"\', 1000000)));
select is(left(shown(7) -> 'error' ->> 'message', 2), '"\', 'A bare text that is too long: R-056');
select tenure.fail(8, 'w', 1, jsonb_build_object('a', repeat('x', 70000), 'b', 1));
select is(shown(8) -> 'error' -> 'cut', 'true', 'An object without a message: R-056');

-- The delay that the handler asks for.
select tenure.fail(9, 'w', 1, '"e"', retry_after => '0');
select is(shown(9) ->> 'due', '00:00:00', 'At once: R-059');
select tenure.fail(10, 'w', 1, '"e"', retry_after => '36500 days');
select is(shown(10) ->> 'due', '36500 days', 'In a hundred years: R-059, R-026');

-- Reports again, and without a lease.
select is(tenure.fail(9, 'w', 1, '"other"', kind => 'permanent'), 'retrying', 'The same report again: R-050');
select is(tenure.release(9, 'w', 1), 'stale', 'Another verb: R-051');
select is(tenure.fail(11, 'v', 1, '"e"'), 'stale', 'Without the lease: R-049');

-- What is refused, with nothing written.
select throws_ok($$select tenure.fail(12, 'w', 1, '"e"', kind => 'bad')$$, 'TN007', null, 'An unknown kind');
select throws_ok($$select tenure.fail(12, 'w', 1, '"e"', kind => null)$$, 'TN007', null, 'No kind');
select throws_ok(
    $$select tenure.fail(12, 'w', 1, '"e"', retry_after => '-1 s')$$, 'TN006', null, 'A negative delay: R-025'
);
select throws_ok(
    $$select tenure.fail(12, 'w', 1, '"e"', retry_after => '1 month')$$, 'TN006', null, 'A delay with months: R-025'
);
select throws_ok($$select tenure.fail(null, 'w', 1, '"e"')$$, 'TN007', null, 'No step');
select throws_ok($$select tenure.fail(12, null, 1, '"e"')$$, 'TN005', null, 'No owner: R-147');
select is(shown(12) ->> 'state', 'running', 'It runs on: R-145');

select * from finish();
rollback;
