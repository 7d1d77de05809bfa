begin;
select plan(7);
\ir ../session.psql
\ir ../steps.psql

create function consumed(p_verdict text, p_kind text, p_retry_after interval)
returns jsonb
language sql
as $$
select jsonb_strip_nulls(to_jsonb(
    tenure_private.consume_attempt(s, tenure_private.clock(), p_verdict, p_kind, '{"type": "E"}', p_retry_after)
))
from tenure_private.step as s
$$;

select tenure.enqueue('job', max_attempts => 2, backoff => '{"kind": "fixed", "base": 7, "jitter": 0}');
select take();
select set_clock('1 m');
select is(
    consumed(null, 'retryable', null),
    '{"verdict": "retrying", "state": "available", "attempt": 2, "scheduled_at": "2030-01-01T00:01:07+00:00",
      "error": {"type": "E"}, "error_kind": "retryable", "ends_attempt": "retryable"}',
    'With attempts left: the next one, after the backoff: R-058, R-066'
);
select is(
    consumed(null, 'retryable', '1 h') ->> 'scheduled_at', '2030-01-01T01:01:00+00:00',
    'Or after the delay that was asked for: R-059'
);
select is(consumed(null, 'retryable', '0') ->> 'scheduled_at', '2030-01-01T00:01:00+00:00', 'Even none: R-059');
select is(consumed('timed_out', 'timeout', null) ->> 'verdict', 'timed_out', 'The verdict may be another');
update tenure_private.step set attempt = 2;
select is(
    consumed(null, 'retryable', '1 h'),
    '{"verdict": "discarded", "state": "discarded", "error": {"type": "E"}, "error_kind": "retryable",
      "ends_attempt": "retryable"}',
    'The last attempt: discarded, and it keeps its number: R-003, R-066'
);
select is(consumed('timed_out', 'timeout', null) ->> 'verdict', 'timed_out', 'With the other verdict too: R-062');
update tenure_private.step set attempt = 3;
select is(consumed(null, 'retryable', null) ->> 'state', 'discarded', 'Beyond the last it is no better');

select * from finish();
rollback;
