begin;
select plan(24);
\ir ../session.psql

-- A key stands for the first run.
select is(tenure.enqueue('mail', '{"n": 1}', idempotency_key => 'k'), 1::bigint, 'The first enqueue makes a run');
select is(
    tenure.enqueue('mail', '{"n": 1}', idempotency_key => 'k'), 1::bigint, 'The second returns its id: R-127'
);
select is(
    tenure.enqueue('mail', '{"n": 2}', priority => 5, idempotency_key => 'k'), 1::bigint, 'Whatever else it says: R-127'
);
select is(shown(1, 'input', 'priority'), '{"n": 1} 0', 'And changes nothing of it: R-127');
select is((select count(*) from tenure_private.step), 1::bigint, 'One key, one row: R-127');
select isnt(tenure.enqueue('sms', idempotency_key => 'k'), 1::bigint, 'Another name has its own keys: R-128');
select isnt(tenure.enqueue('mail', idempotency_key => 'K'), 1::bigint, 'Case counts');
select isnt(tenure.enqueue('mail', idempotency_key => 'k '), 1::bigint, 'So does a trailing space');
select isnt(tenure.enqueue('mail'), 1::bigint, 'Without a key each call makes a run');
select isnt(tenure.enqueue('mail'), 1::bigint, 'And another one');
select throws_ok(
    $$ select tenure.enqueue('mail', idempotency_key => '') $$, 'TN005', null, 'An empty key is refused: R-147'
);
select throws_ok(
    format('select tenure.enqueue(''mail'', idempotency_key => %L)', repeat('k', 1001)), 'TN005', null,
    'A key of 1001 bytes is refused: R-147'
);
select throws_ok(
    $$ select tenure.enqueue('mail', idempotency_key => 'k', timeout => '-1 s') $$, 'TN006', null,
    'Bad arguments are refused though the key is known'
);

-- As long as the row lives, whatever became of the run.
select count(*) from tenure.claim(array['default'], 'w', 10, names => array['mail']);
select tenure.complete(1, 'w', 1);
select is(tenure.enqueue('mail', idempotency_key => 'k'), 1::bigint, 'A completed run keeps its key: R-127');
select tenure.enqueue('mail', idempotency_key => 'dead');
select tenure.cancel(r.run_id)
from tenure.run_status as r
where r.run_id = tenure.enqueue('mail', idempotency_key => 'dead');
select is(
    (tenure.status(tenure.enqueue('mail', idempotency_key => 'dead'))).state, 'cancelled', 'So does a cancelled one'
);
select set_clock('400 days');
select is(tenure.enqueue('mail', idempotency_key => 'k'), 1::bigint, 'It does not age: R-127');
select tenure.purge('1 day');
select isnt(tenure.enqueue('mail', idempotency_key => 'k'), 1::bigint, 'It goes with the row: R-129');

-- Or for a period.
select set_clock('500 days');
alter sequence tenure_private.step_id_seq restart with 100;
select tenure.enqueue('pay', idempotency_key => 'p', idempotency_period => '1 h');
select set_clock('500 days 59 m 59.999999 s');
select is(
    tenure.enqueue('pay', idempotency_key => 'p', idempotency_period => '9 h'), 100::bigint,
    'Within its period a key holds, and another period changes nothing: R-129'
);
select set_clock('500 days 1 h');
alter sequence tenure_private.step_id_seq restart with 200;
select
    is(
        tenure.enqueue('pay', idempotency_key => 'p'),
        200::bigint,
        'When the period has passed, it is free: R-014, R-129'
    );
select is(tenure.enqueue('pay', idempotency_key => 'p'), 200::bigint, 'The new run holds it');
select set_clock('600 days');
select is(tenure.enqueue('pay', idempotency_key => 'p'), 200::bigint, 'Without a period of its own, for good');
alter sequence tenure_private.step_id_seq restart with 300;
select tenure.enqueue('pay', idempotency_key => 'zero', idempotency_period => '0');
alter sequence tenure_private.step_id_seq restart with 400;
select is(tenure.enqueue('pay', idempotency_key => 'zero'), 400::bigint, 'A period of 0 has passed at once');

-- Rolled back.
do $$
begin
    perform tenure.enqueue('mail', idempotency_key => 'outbox');
    raise exception 'the business transaction fails';
exception when raise_exception then null;
end
$$;
alter sequence tenure_private.step_id_seq restart with 500;
select is(
    tenure.enqueue('mail', idempotency_key => 'outbox'),
    500::bigint,
    'A key of a run that never was is free: R-126'
);
select is(
    (select count(*) from tenure.run_status as r where r.run_id = 500), 1::bigint, 'And its run is there'
);

select * from finish();
rollback;
