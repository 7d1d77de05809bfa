begin;
select plan(5);
\ir ../session.psql
\ir ../steps.psql

create function logs(p_step_ids bigint[], p_kind text, p_error jsonb)
returns void
language plpgsql
as $$
declare
    v_outcome tenure_private.outcome;
begin
    v_outcome.ends_attempt := p_kind;
    v_outcome.error := p_error;
    perform tenure_private.log_attempts(p_step_ids, v_outcome, tenure_private.clock());
end
$$;

select tenure.enqueue('job') from generate_series(1, 3);
select count(*) from tenure.claim(array['default'], 'w', 2, '1 m');
select set_clock('5 s');
select logs('{1,2,3}', 'timeout', '{"type": "E"}');
select results_eq(
    $$ select concat_ws(
           ' ', a.step_id, a.generation, a.attempt, a.owner, to_char(a.started_at, 'MI:SS'),
           to_char(a.ended_at, 'MI:SS'), a.kind, a.error
       ) collate "default"
       from tenure_private.attempt as a order by a.step_id $$,
    $$ values ('1 1 1 w 00:00 00:05 timeout {"type": "E"}'), ('2 1 1 w 00:00 00:05 timeout {"type": "E"}') $$,
    'One row for each step that runs, and none for one that does not'
);

-- A step that fails for ever does not fill the disk.
delete from tenure_private.attempt;
update tenure_private.step as s set lease_generation = 100 where s.step_id = 1;
insert into tenure_private.attempt (step_id, generation, attempt, ended_at, kind, error)
select
    1 as step_id,
    g.n as generation,
    g.n as attempt,
    timestamptz '2030-01-01 00:00:00+00' as ended_at,
    'retryable' as kind,
    jsonb_build_object('type', repeat('t', 1000), 'message', repeat('m', 1000), 'traceback', repeat('x', 1000)) as error
from generate_series(1, 99) as g (n);
select logs('{1}', 'retryable', '{"type": "E"}');
select is(
    (select count(*) from tenure_private.attempt as a where a.error ? 'cut'), 0::bigint, 'A hundred are kept whole'
);
update tenure_private.step as s set lease_generation = 101 where s.step_id = 1;
select logs('{1}', 'retryable', '{"type": "E"}');
select is(
    (select a.error from tenure_private.attempt as a where a.generation = 1),
    jsonb_build_object('type', repeat('t', 100), 'message', repeat('m', 200), 'cut', true),
    'Behind them only the first words stay'
);
select is((select count(*) from tenure_private.attempt as a where a.error ? 'cut'), 1::bigint, 'Of each in its turn');
select is((select count(*) from tenure_private.attempt), 101::bigint, 'No row is lost');

select * from finish();
rollback;
