begin;
select plan(15);
\ir ../session.psql
\ir ../steps.psql

create function answer(p_step_id bigint)
returns text
language sql
as $$
select concat_ws(' ', o.verdict, o.state, o.error_kind, to_char(o.scheduled_at, 'HH24:MI:SS'))
from tenure_private.step as s
cross join lateral tenure_private.answer_alarm(s, tenure_private.clock()) as o
where s.step_id = p_step_id
$$;

select tenure.enqueue('job', deadline => '1 h', start_within => '30 m') from generate_series(1, 4);
select set_clock('1 s');
select count(*) from tenure.claim(array['default'], 'w', 3, '1 m');
select tenure.sleep(1, 'w', 1, '10 s');
select tenure.wait_signal(2, 'w', 1, 'go', '10 s');
select is(
    answer(s.step_id), '', shown(s.step_id, 'state') || ': nothing yet') from generate_series(1, 4) as s (step_id
);
select set_clock('11 s');
select is(answer(1), 'woken available 00:00:00', 'A sleep is over at its end, in its old place in line: R-014, R-084');
select is(
    (select count(*) from tenure_private.wait as w where w.outcome is null), 1::bigint, 'It ends no other''s wait'
);
select is(answer(2), 'woken available 00:00:00', 'A signal wait times out: R-084');
select results_eq(
    'select w.outcome collate "default" from tenure_private.wait as w order by w.step_id',
    $$ values ('due'), ('timed_out') $$,
    'Both are recorded as what they were: R-118'
);
select set_clock('1 m 1.000001 s');
select is(answer(3), 'reclaimed available 00:00:00', 'A lease that is over: R-070');
select set_clock('29 m 59.999999 s');
select is(answer(4), '', 'Before start_within');
select set_clock('30 m');
select is(answer(4), 'discarded discarded start_within', 'At start_within: R-065');
select set_clock('1 h');
select
    is(
        answer(s.step_id),
        'discarded discarded deadline',
        shown(s.step_id, 'state') || ': the deadline first: R-022, R-064'
    )
from generate_series(1, 4) as s (step_id);

select * from finish();
rollback;
