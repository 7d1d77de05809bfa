begin;
select plan(11);
\ir ../session.psql
\ir ../steps.psql
select tenure.define_step('t', backoff => '{"kind": "fixed", "base": 10, "jitter": 0}');

-- Leases of 30 s, over for a long time, and no sweep: nobody else has the steps, so the work is good.
select tenure.enqueue('t', timeout => '1 h') from generate_series(1, 10);
select take('w', '30 s');
select set_clock('50 minutes');
select is((tenure.heartbeat(1, 'w', 1)).verdict, 'renewed', 'It may be renewed: R-043');
select is((tenure.heartbeat(1, 'w', 1)).lease_expiry, '2030-01-01 00:50:30+00', 'From now on: R-043');
select is(tenure.complete(2, 'w', 1), 'completed', 'complete: R-082');
select is(tenure.skip(3, 'w', 1, 'no'), 'skipped', 'skip: R-082');
select is(tenure.fail(4, 'w', 1, '"e"'), 'retrying', 'fail: R-082');
select is(tenure.release(5, 'w', 1), 'released', 'release: R-082');
select is(tenure.sleep(6, 'w', 1, '1 s'), 'sleeping', 'sleep: R-082');
select is(tenure.wait_signal(7, 'w', 1, 'go'), 'waiting', 'wait_signal: R-082');
select is(
    (select array_agg(r.verdict order by r.step_id) from tenure.heartbeat_many('{8, 9}', 'w', '{1, 1}') as r),
    array['renewed', 'renewed'], 'heartbeat_many: R-043'
);
select is(tenure.checkpoint(10, 'w', 1, 'k', '1'), '1', 'checkpoint: R-082');

-- Swept, it is gone.
select swept();
select is(tenure.complete(10, 'w', 1), 'stale', 'After the sweep it is too late');

select * from finish();
rollback;
