begin;
select plan(11);
\ir ../session.psql
\ir ../steps.psql
set local client_min_messages to error;

-- Somebody's foreign key forbids to purge step 1, which is past its retention.
select tenure.create_queue('short', retention => '0');
select tenure.enqueue('t', queue => 'short');
select count(*) from tenure.claim('{short}', 'w');
select report('complete', 1, 'w', 1);
create table order_of_theirs (step_id bigint references tenure_private.step);
insert into order_of_theirs values (1);

select tenure.worker_hello('old', '{default}', true);
select tenure.enqueue('t');
select take('w', '30 s');
select set_clock('31 s');
select is(swept(), '1 reclaimed, 0 timed out, 0 discarded, 0 woken', 'Leases are swept all the same: R-245');
select is((select count(*) from tenure_private.step), 2::bigint, 'What may not be purged is there: R-245');
select is_empty('select from tenure_private.waiter', 'The other chores are done: R-245');
select is(tenure_private.chore_due(-1, tenure_private.clock(), '1 s'), false, 'It is not tried in every pass: R-245');

-- Notes that cannot be folded.
create function refuse_to_go()
returns trigger
language plpgsql
as $$
begin
    raise exception 'this one cannot be removed';
end
$$;
create trigger refuse_to_go before delete on tenure_private.behind for each row execute function refuse_to_go();
insert into tenure_private.behind (track_id, scheduled_at)
select
    s.track_id,
    s.scheduled_at
from tenure_private.step as s
where s.step_id = 2;
select is(take('w', '30 s'), 1::bigint, 'It is claimed again');
select set_clock('62 s');
select is(swept(), '1 reclaimed, 0 timed out, 0 discarded, 0 woken', 'Nor do notes stop it: R-245');
select isnt_empty('table tenure_private.behind', 'They are kept: R-245');

-- Once the reasons are gone all is done.
drop trigger refuse_to_go on tenure_private.behind;
drop table order_of_theirs;
select set_clock('64 s');
select is(swept(), '0 reclaimed, 0 timed out, 0 discarded, 0 woken', 'Another pass');
select is_empty('table tenure_private.behind', 'folds the notes: R-245');
select is_empty('select from tenure_private.step as s where s.step_id = 1', 'and purges: R-245');
select is(take('w', '30 s'), 1::bigint, 'The other step is claimed');

select * from finish();
rollback;
