begin;
select plan(5);
\ir ../session.psql
\ir ../steps.psql
set local client_min_messages = 'error';

select tenure.enqueue('good', deadline => '1 s');
select tenure.enqueue('bad', deadline => '1 s');
select tenure.enqueue('good', deadline => '1 s');
alter table tenure_private.step add constraint planted check (step_id <> 2 or state <> 'discarded');
select set_clock('1 s');
select is(tenure_private.ring_safely(1, 1), 'discarded', 'What can be moved, is');
select is(tenure_private.ring_safely(2, 2), 'nothing', 'An error of one step is no error of the sweep: R-091');
select is(
    shown(2, 'state', 'alarm_at'), 'available 2030-01-01T00:01:01+00:00', 'It is tried again a minute later: R-091'
);
select is(swept(), '0 reclaimed, 0 timed out, 1 discarded, 0 woken', 'And hides no other: R-091');
alter table tenure_private.step drop constraint planted;
select set_clock('1 m 1 s');
select is(swept(), '0 reclaimed, 0 timed out, 1 discarded, 0 woken', 'Mended, it is moved then');

select * from finish();
rollback;
