begin;
select plan(6);
\ir ../session.psql
\ir ../steps.psql
select tenure.define_step('t', backoff => '{"kind": "fixed", "base": 1000, "jitter": 0}', deadline => '100 s');

-- An attempt that has begun and now sleeps, waits or is back in line ends with its step, and is logged as one that runs.
select tenure.enqueue('t') from generate_series(1, 6);
select take('w', '10 s');
select tenure.sleep(1, 'w', 1, '1 h');
select tenure.wait_signal(2, 'w', 1, 'go');
select tenure.release(3, 'w', 1);
select tenure.fail(4, 'w', 1, '"e"');
select tenure.sleep(5, 'w', 1, '1 h');
select tenure.cancel(5);
select tenure.pause(1);
select tenure.resume(1);
select set_clock('100 s');
select tenure.sweep();
select is(logged(1), '1 by w/1 at 00:01:40: deadline', 'It slept');
select is(logged(2), '1 by w/1 at 00:01:40: deadline', 'It waited for a signal');
select is(logged(3), '1 by w/1 at 00:01:40: deadline', 'It was handed back');
select is(logged(4), '1 by w/1 at 00:00:00: retryable', 'The next attempt has not begun');
select is(logged(5), '1 by w/1 at 00:00:00: cancelled', 'It was cancelled while it slept');
select tenure.enqueue('t', deadline => '0');
select tenure.sweep();
select is(logged(7), null, 'No attempt has begun');

select * from finish();
rollback;
