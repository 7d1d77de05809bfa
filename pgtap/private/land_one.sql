begin;
select plan(7);
\ir ../session.psql
\ir ../steps.psql

create function landed(p_step_id bigint, p_outcome jsonb)
returns void
language sql
as $$
select tenure_private.land_one(
    s, jsonb_populate_record(null::tenure_private.outcome, p_outcome), tenure_private.clock(), 'fail', 'w'
)
from tenure_private.step as s
where s.step_id = p_step_id
$$;

select tenure.enqueue('job') from generate_series(1, 4);
select take();
insert into tenure_private.head (track_id, head)
select
    t.track_id,
    '2030-01-01 00:01:00+00' as head
from tenure_private.track as t
where t.name = 'job';
update tenure_private.step set pausing = true where step_id = 4;
select set_clock('1 m');
select tenure.worker_hello('w', array['default'], true);
select landed(
    1, '{"verdict": "discarded", "state": "discarded", "ends_attempt": "permanent", "error_kind": "permanent"}'
);
select is(logged(1), '1 by w/1 at 00:01:00: permanent', 'An attempt that ended is logged');
select landed(2, '{"verdict": "retrying", "state": "available", "scheduled_at": "2030-01-01T00:02:00+00:00"}');
select is(logged(2), null, 'One that did not, is not');
select is((select count(*) from tenure_private.waiter), 1::bigint, 'For a step that is due later nobody is woken');
select landed(4, '{"verdict": "released", "state": "available", "scheduled_at": "2030-01-01T00:00:00+00:00"}');
select is((select count(*) from tenure_private.waiter), 1::bigint, 'Nor for one that became paused: R-113');
select is_empty('table tenure_private.behind', 'Nothing is noted');
select landed(3, '{"verdict": "released", "state": "available", "scheduled_at": "2030-01-01T00:00:00+00:00"}');
select is_empty('table tenure_private.waiter', 'For one that is due one worker is: R-135');
select is(
    (select b.scheduled_at from tenure_private.behind as b), '2030-01-01 00:00:00+00',
    'And its track''s head is told: R-039'
);

select * from finish();
rollback;
