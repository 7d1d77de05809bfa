begin;
select plan(7);
\ir ../session.psql
-- That a session which listens hears it takes another session: tests/ has it.

create function waiting()
returns text
language sql
as $$ select string_agg(w.queues::text, ' ' order by w.waiter_id) from tenure_private.waiter as w $$;
create function woken(p_name text)
returns text
language plpgsql
as $$
begin
    perform tenure_private.wake(t.track_id) from tenure_private.track as t where t.name = p_name;
    return waiting();
end
$$;

select tenure.create_queue('io');
select tenure.define_step('mail');
select tenure.define_step('fetch', queue => 'io');
select is(woken('mail'), null, 'Nobody waits: nobody is told, R-135');
select tenure.worker_hello('a', array['io'], true);
select tenure.worker_hello('b', array['default', 'io'], true);
select tenure.worker_hello('c', array['default'], true);
select is(woken('mail'), '{io} {default}', 'One that serves the queue is told, and waits no more: R-135, R-136');
select is(woken('mail'), '{io}', 'Then the next: R-135');
select is(woken('mail'), '{io}', 'Then there is none for this queue');
select is(woken('fetch'), null, 'For the other there was');
select tenure.worker_hello('d', array['default'], true);
select set_clock('15 s');
select tenure.worker_hello('live', array['io'], true);
select is(woken('mail'), '{default} {io}', 'A hello is worth 15 seconds: R-136');
select tenure.worker_hello('e', array['default'], false);
select is(woken('mail'), '{default} {io}', 'Who is busy is not told: R-136');

select * from finish();
rollback;
