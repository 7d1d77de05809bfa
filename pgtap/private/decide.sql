begin;
select plan(39);
\ir ../session.psql
\ir ../steps.psql

create function decided(
    p_step_id bigint, p_verb text, p_kind text default null, p_owner text default 'w', p_generation bigint default 1
)
returns text
language plpgsql
as $$
declare
    v_ask tenure_private.ask := tenure_private.ask_for(p_verb);
    v_outcome tenure_private.outcome;
begin
    v_ask.kind := p_kind;
    v_ask.error := '{"type": "E"}';
    v_ask.pause := '1 h';
    v_ask.signal := 'go';
    select o.* into v_outcome
    from tenure_private.step as s
    cross join lateral tenure_private.decide(s, p_owner, p_generation, tenure_private.clock(), v_ask) as o
    where s.step_id = p_step_id;
    return concat_ws(' ', v_outcome.verdict, v_outcome.state, v_outcome.error_kind);
end
$$;

select tenure.enqueue('timeout', timeout => '10 s', max_attempts => 2);
select tenure.enqueue('progress', progress_timeout => '10 s', max_attempts => 2);
select tenure.enqueue('deadline', deadline => '10 s', max_attempts => 2);
select tenure.enqueue('done');
select take();
select tenure.complete(4, 'w', 1);

-- In time and under the lease: what was asked for.
select is(decided(1, v.verb, v.kind), v.outcome, format('%s in time: R-048', concat_ws(' ', v.verb, v.kind)))
from (
    values
    ('skip', null, 'skipped skipped'),
    ('release', null, 'released available'),
    ('sleep', null, 'sleeping waiting_timer'),
    ('wait_signal', null, 'waiting waiting_signal'), ('fail', 'retryable', 'retrying available retryable'),
    ('fail', 'permanent', 'discarded discarded permanent'), ('fail', 'uncertain', 'discarded discarded uncertain'),
    ('fail', 'timeout', 'timed_out available timeout')
) as v (verb, kind, outcome);

-- Without the lease: nothing.
select is(decided(1, 'release', p_owner => 'x'), 'stale', 'Another owner: R-048');
select is(decided(1, 'release', p_generation => 2), 'stale', 'Another generation: R-048');
select is(decided(4, 'release'), 'stale', 'Not running: R-048');
select is(decided(4, 'complete'), 'completed', 'The same report again: its verdict: R-050');
select is(decided(1, 'fail', 'uncertain', 'x'), 'stale', 'The kind does not matter: R-048');

-- Past a limit.
select set_clock('10 s');
select
    is(
        decided(s.step_id, v.verb, v.kind),
        format(v.outcome, case when s.step_id = 3 then 'discarded' else 'available' end, s.name),
        format('%s past its %s: R-078, R-079, R-080', concat_ws(' ', v.verb, v.kind), s.name)
    )
from (values (1, 'timeout'), (2, 'progress'), (3, 'deadline')) as s (step_id, name)
cross join (
    values
    ('complete', null, 'timed_out %s %s'), ('skip', null, 'timed_out %s %s'), ('release', null, 'timed_out %s %s'),
    ('sleep', null, 'timed_out %s %s'),
    ('wait_signal', null, 'timed_out %s %s'),
    ('fail', 'retryable', 'timed_out %s %s'),
    ('fail', 'uncertain', 'discarded discarded uncertain')
) as v (verb, kind, outcome);
select is(
    decided(1, 'fail', 'permanent'), 'discarded discarded permanent', 'A permanent failure lands past a timeout: R-079'
);
select is(decided(2, 'fail', 'permanent'), 'discarded discarded permanent', 'And past a progress_timeout: R-079');
select is(decided(3, 'fail', 'permanent'), 'timed_out discarded deadline', 'But not past the deadline: R-080');
select is(decided(1, 'complete', p_owner => 'x'), 'stale', 'The lease is weighed before the limit: R-048');
select set_clock('2 m');
select tenure.enqueue('job');
select count(*) from tenure.claim(array['default'], 'w', 1, '1 s', array['job']);
select set_clock('3 m');
select is(decided(5, 'release'), 'released available', 'A lease that is over and was not swept is as good: R-082');

select * from finish();
rollback;
