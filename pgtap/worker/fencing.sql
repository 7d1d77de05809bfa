begin;
select plan(9);
\ir ../session.psql
\ir ../steps.psql

create function verbs()
returns text[]
language sql
as $$
select array[
    'complete', 'complete_many', 'skip', 'fail', 'fail permanent', 'fail uncertain', 'fail timeout', 'release', 'sleep',
    'wait_signal', 'heartbeat', 'heartbeat_many', 'checkpoint'
]
$$;

-- Every verb in turn, and whether any of them left a trace.
create function tried(p_step_id bigint, p_owner text, p_generation bigint)
returns text
language plpgsql
as $$
declare
    v_before constant text = (select s::text from tenure_private.step as s where s.step_id = p_step_id);
    v_answers text;
begin
    select string_agg(report(v.verb, p_step_id, p_owner, p_generation), ' ' order by v.n)
    into strict v_answers
    from unnest(verbs()) with ordinality as v (verb, n);
    if v_before is distinct from (select s::text from tenure_private.step as s where s.step_id = p_step_id)
        or exists (select from tenure_private.checkpoint) or exists (select from tenure_private.wait)
        or exists (select from tenure_private.attempt)
    then
        v_answers := v_answers || ', and something changed';
    end if;
    return v_answers;
end
$$;

-- A claims, its lease runs out, the step is reclaimed, B claims it: whatever A says now changes nothing.
select tenure.enqueue('t');
select take('A', '2 s');
select set_clock('2.1 s');
select tenure.sweep();
select is(take('B', '60 s'), 1::bigint, 'B has it, as generation 2');
select is(
    tried(1, 'A', 1), 'stale stale stale stale stale stale stale stale stale stale lost lost TN014',
    'Every verb of the old owner is fenced: R-048, R-049, R-041, R-060'
);
select is(take('C'), 0::bigint, 'And C gets nothing');
select is(
    tried(1, 'B', 1), 'stale stale stale stale stale stale stale stale stale stale lost lost TN014',
    'The right owner with an old generation: R-048'
);
select is(
    tried(1, 'A', 2), 'stale stale stale stale stale stale stale stale stale stale lost lost TN014',
    'The right generation with another owner: R-048'
);
select is(
    tried(2, 'B', 2), 'stale stale stale stale stale stale stale stale stale stale lost lost TN014',
    'A step that is not there: R-048, R-049'
);

-- The right owner and generation, but it does not run any more.
select tenure.enqueue('t');
select take('B');
select tenure.sweep();
update tenure_private.step set reported = null, state = 'available', lease_owner = null, lease_expiry = null
where step_id = 2;
select is(
    tried(2, 'B', 1), 'stale stale stale stale stale stale stale stale stale stale lost lost TN014',
    'Not running: R-048'
);

-- Cancelled: it says so, to whoever asks.
select tenure.enqueue('t');
select tenure.cancel(3);
select is(
    tried(3, 'A', 1),
    'cancelled cancelled cancelled cancelled cancelled cancelled cancelled cancelled cancelled cancelled cancelled'
    || ' cancelled TN014',
    'A cancelled step: R-049, R-041, R-103'
);

-- The one that has it still does.
select is(tenure.complete(1, 'B', 2), 'completed', 'The owner completes it');

select * from finish();
rollback;
