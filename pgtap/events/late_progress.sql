begin;
select plan(8);
\ir ../session.psql
\ir ../steps.psql
select tenure.define_step('t', max_attempts => 3, progress_timeout => '10 s');

-- Progress that comes after the limit does not take the limit back, whatever on_timeout says.
select tenure.enqueue('t', on_timeout => m.mode) from (values ('abandon'), ('wait')) as m (mode);
select take();
select set_clock('9.999999 s');
select is((tenure.heartbeat(2, 'w', 1, '1')).verdict, 'renewed', 'In time it counts: R-020');
select set_clock('19.999999 s');
select is((tenure.heartbeat(1, 'w', 1, '2')).verdict, 'timed_out', 'Too late for a step that is abandoned');
select is((tenure.heartbeat(2, 'w', 1, '2')).verdict, 'timed_out', 'Too late for one that is waited for: R-020');
select is((tenure.heartbeat(2, 'w', 1, '3')).verdict, 'timed_out', 'The next heartbeat finds the same: R-078');
select is(
    (select s.progress from tenure.step_status as s where s.step_id = 2), '1'::jsonb, 'What comes too late is not kept'
);
select is(report('complete', 1, 'w', 1), 'timed_out', 'A late success is none: R-078');
select is(report('complete', 2, 'w', 1), 'timed_out', 'Under wait neither: R-078');
select is(shown(2) ->> 'kind', 'progress', 'The attempt is consumed: R-063');

select * from finish();
rollback;
