-- A publication of all tables refuses to update or delete what it could not tell apart: the life of steps under one.
begin;
select plan(13);
\ir ../session.psql
\ir ../steps.psql

set local client_min_messages = 'error';
create publication tenure_test for all tables;
set local client_min_messages = 'notice';

select is_empty(
    $$select c.oid::regclass from pg_class as c
    where c.relnamespace = 'tenure_private'::regnamespace and c.relkind = 'r' and c.relreplident <> 'f'
        and not exists (select from pg_index as i where i.indrelid = c.oid and i.indisprimary)$$,
    'Each table has a primary key or another replica identity: R-244'
);

select tenure.define_step('t', timeout => '10 min');
select tenure.define_step('t', timeout => '9 min');
select tenure.create_queue('short', retention => '0');
select tenure.alter_queue('short', retention => '1 s');
select tenure.worker_hello('w', array['default'], true);
select tenure.enqueue('t', idempotency_key => n::text) from generate_series(1, 4) as n;
select is(take('w', '30 s'), 4::bigint, 'Steps are claimed: R-244');
select is((tenure.heartbeat(1, 'w', 1)).verdict, 'renewed', 'Leases are renewed: R-244');
select is(tenure.checkpoint(1, 'w', 1, 'key', '1'), '1', 'Checkpoints are written: R-244');
select is(
    array[report('complete', 1, 'w', 1), report('fail', 2, 'w', 1), report('sleep', 3, 'w', 1)],
    array['completed', 'retrying', 'sleeping'], 'Reports are taken: R-244'
);
select is(report('wait_signal', 4, 'w', 1), 'waiting', 'Signals are waited for: R-244');
select is(tenure.signal(4, 'go'), 'delivered', 'And delivered: R-244');
select is(take('w', '30 s'), 1::bigint, 'And the step is claimed anew: R-244');

-- Its lease ends in the past, so it is noted behind the head, and the next sweep folds the note.
insert into tenure_private.behind (track_id, scheduled_at)
select
    s.track_id,
    s.scheduled_at
from tenure_private.step as s
where s.step_id = 4;
select set_clock('40 s');
select is(swept(), '1 reclaimed, 0 timed out, 0 discarded, 0 woken', 'A lease that ran out is swept: R-244');
select set_clock('2 h');
select is(swept(), '0 reclaimed, 0 timed out, 0 discarded, 1 woken', 'A sleep that is over, too: R-244');
select is_empty('table tenure_private.behind', 'Notes are folded and removed: R-244');

select is(tenure.cancel(4), 1, 'A run is cancelled: R-244');
select set_clock('400 h');
select tenure.sweep();
select is_empty(
    'select from tenure_private.step as s where s.step_id in (1, 4)', 'What has outlived its retention goes: R-244'
);

select * from finish();
rollback;
