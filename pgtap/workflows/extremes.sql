begin;
select plan(6);
\ir ../session.psql
\ir ../tree.psql

-- A group that fails at once, again and again: a map over what is none.
select tenure.define_workflow('bad', '{"nodes": [{"name": "each", "map": "in"}]}');
select tenure.define_workflow(
    'again',
    '{"nodes": [{
        "name": "m", "workflow": "bad", "requires": ["in"],
        "policy": [{"retry": {"attempts": 1000000, "delay": "0 s"}}]
    }]}'
);
select tenure.start('again', '{"in": 1}');
select is(
    shown(2, 'state', 'attempt'), 'waiting_timer 100', 'A call makes a hundred attempts at most: R-433'
);
select is((select (tenure.sweep()).woken), 1, 'and the sweep goes on: R-433');
select is(shown(2, 'state', 'attempt'), 'waiting_timer 200', 'with a hundred more: R-433');
select is(tenure.cancel(1), 2, 'It can be cancelled');

-- A clock that is set back while a group waits for its next attempt.
alter sequence tenure_private.step_id_seq restart with 1001;
select tenure.define_workflow('w', '{"nodes": [{"name": "a"}]}');
select set_clock('2 h');
select tenure.sweep();
select tenure.start('w', max_attempts => 2, backoff => '{"kind": "fixed", "base": 60, "jitter": 0}');
select taken();
select failed(1001, 'a');
select is(shown(1001, 'state', 'due_at'), 'waiting_timer 2030-01-01T02:01:00+00:00', 'A backoff of a minute');
select set_clock('0');
select tenure.sweep();
select is(
    shown(1001, 'state', 'due_at'),
    'waiting_timer 2030-01-01T00:01:00+00:00',
    'stays one when the clock is set back: R-092'
);
select * from finish();
rollback;
