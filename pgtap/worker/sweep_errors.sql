begin;
select plan(8);
\ir ../session.psql
\ir ../steps.psql
set local client_min_messages to error;

-- Step 2 cannot be moved, whatever the reason.
create function refuse_to_move()
returns trigger
language plpgsql
as $$
begin
    raise exception 'this one cannot be moved';
end
$$;
create trigger refuse_to_move before update on tenure_private.step
for each row when (old.step_id = 2 and new.state <> old.state and old.state = 'running')
execute function refuse_to_move();

select tenure.enqueue('t') from generate_series(1, 3);
select take('w', '30 s');
select set_clock('31 s');
select is(
    tenure.sweep(), row(2, 0, 0, 0, '1 m')::tenure.sweep_report,
    'The others are moved; this one comes again in a minute: R-091'
);
select is(shown(2) ->> 'state', 'running', 'It is as it was: R-091');
select is(tenure.checkpoint(2, 'w', 1, 'key', '1'), '1', 'It can be worked on all the same');
select set_clock('62 s');
select is(swept(), '0 reclaimed, 0 timed out, 0 discarded, 0 woken', 'It does not come up in every pass: R-091');
select set_clock('91 s');
select is(
    tenure.sweep(1), row(0, 0, 0, 0, '1 m')::tenure.sweep_report, 'What could not be moved takes nobody''s place: R-091'
);
drop trigger refuse_to_move on tenure_private.step;
select is(swept(), '0 reclaimed, 0 timed out, 0 discarded, 0 woken', 'Not yet');
select set_clock('151 s');
select is(swept(), '1 reclaimed, 0 timed out, 0 discarded, 0 woken', 'Once the reason is gone it moves: R-091');
select is(shown(2) -> 'reclaims', '1', 'As it would have then');

select * from finish();
rollback;
