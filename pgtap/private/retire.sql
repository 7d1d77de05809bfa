begin;
select plan(15);
\ir ../session.psql
\ir ../steps.psql

create function here()
returns text
language sql
as $$ select string_agg(s.name, ', ' order by s.name) from tenure.step_status as s $$;
create function ended(p_name text, p_verdict text, p_queue text default 'default')
returns void
language plpgsql
as $$
declare
    v_id constant bigint = tenure.enqueue(p_name, queue => p_queue);
begin
    perform tenure.claim(array[p_queue], 'w', 1, '1 m', array[p_name]);
    case p_verdict
        when 'completed' then perform tenure.complete(v_id, 'w', 1);
        when 'skipped' then perform tenure.skip(v_id, 'w', 1);
        when 'cancelled' then perform tenure.cancel(v_id);
        when 'discarded' then perform tenure.fail(v_id, 'w', 1, '{}', 'permanent');
        else null;
    end case;
end
$$;

-- Each queue and state has its time.
select tenure.create_queue('short', retention => '1 h', discarded_retention => '2 h');
select tenure.create_queue('none', retention => '0', discarded_retention => '0');
select ended('1 done', 'completed');
select ended('2 skipped', 'skipped');
select ended('3 cancelled', 'cancelled');
select ended('4 dead', 'discarded');
select ended('5 short', 'completed', 'short');
select ended('6 short dead', 'discarded', 'short');
select ended('7 running', 'nothing');
select ended('8 at once', 'completed', 'none');
insert into tenure_private.head (track_id, head) values (-1, '-infinity');
select tenure_private.retire('2030-01-01 00:00:00+00', 2000);
select is(
    here(), '1 done, 2 skipped, 3 cancelled, 4 dead, 5 short, 6 short dead, 7 running', 'A retention of 0 keeps nothing'
);
select tenure_private.retire('2030-01-01 00:59:59.999999+00', 2000);
select is(
    here(), '1 done, 2 skipped, 3 cancelled, 4 dead, 5 short, 6 short dead, 7 running',
    'Not a microsecond too soon: R-140'
);
select tenure_private.retire('2030-01-01 01:00:00+00', 2000);
select is(
    here(), '1 done, 2 skipped, 3 cancelled, 4 dead, 6 short dead, 7 running', 'After its queue''s retention: R-140'
);
select tenure_private.retire('2030-01-01 02:00:00+00', 2000);
select is(here(), '1 done, 2 skipped, 3 cancelled, 4 dead, 7 running', 'A discarded one after its own: R-140');
select tenure_private.retire('2030-01-07 23:59:59+00', 2000);
select is(here(), '1 done, 2 skipped, 3 cancelled, 4 dead, 7 running', 'By default not before seven days: R-139');
select tenure_private.retire('2030-01-08 00:00:00+00', 2000);
select is(here(), '4 dead, 7 running', 'But then: R-139');
select tenure_private.retire('2030-01-30 23:59:59+00', 2000);
select is(here(), '4 dead, 7 running', 'A discarded one not before thirty: R-139');
select tenure_private.retire('2030-01-31 00:00:00+00', 2000);
select is(here(), '7 running', 'But then: R-139');
select tenure_private.retire('2040-01-01 00:00:00+00', 2000);
select is(here(), '7 running', 'What has not ended stays for good');

-- A body that may still run.
select tenure.cancel(7);
select tenure.alter_queue('default', retention => '0');
select tenure_private.retire('2030-01-01 00:01:00+00', 2000);
select is(here(), '7 running', 'A run whose lease has not ended stays: R-014, R-141');
select tenure_private.retire('2030-01-01 00:01:00.000001+00', 2000);
select is(here(), null, 'Until it has');

-- Those that stay do not stand in the way of those that go: the walk goes on where it was.
select tenure.alter_queue('default', retention => '10 days');
select ended('keep ' || g.n, 'completed') from generate_series(1, 5) as g (n);
select ended('go', 'completed', 'none');
update tenure_private.step as s set finished_at = timestamptz '2030-01-02 00:00:00+00' + s.step_id * interval '1 s';
select tenure_private.retire('2030-01-03 00:00:00+00', 3);
select is(here(), 'go, keep 1, keep 2, keep 3, keep 4, keep 5', 'Three are looked at: they stay');
select tenure_private.retire('2030-01-03 00:00:00+00', 3);
select tenure_private.retire('2030-01-03 00:00:00+00', 3);
select is(here(), 'keep 1, keep 2, keep 3, keep 4, keep 5', 'The next three, and the next: what is due goes');
select is((tenure_private.newest_head(-1)).head, '-infinity', 'At the end it begins anew');

-- Discarded runs may go sooner than the others.
select tenure.alter_queue(q.queue, retention => '10 days', discarded_retention => '30 days')
from tenure.queue_status as q;
select tenure.create_queue('brisk', retention => '10 days', discarded_retention => '1 h');
select ended('dead', 'discarded', 'brisk');
select tenure_private.retire(tenure_private.clock() + interval '1 h', 2000);
select is(here(), 'keep 1, keep 2, keep 3, keep 4, keep 5', 'Then they do: R-140');

select * from finish();
rollback;
