begin;
select plan(37);
\ir ../session.psql
\ir ../steps.psql

create function waits(p_step_id bigint)
returns jsonb
language sql
as $$
select jsonb_agg(jsonb_build_array(w.key, w.outcome, w.payload) order by w.seq)
from tenure_private.wait as w
where w.step_id = p_step_id
$$;

-- Kept, delivered, over.
select tenure.enqueue('order');
select is(tenure.signal(1, 'paid', '{"by": "a"}'), 'kept', 'Nobody waits yet: kept, R-123, R-124');
select is(tenure.signal(1, 'paid', '{"by": "b"}'), 'kept', 'And kept beside it: R-122');
select is(tenure.signal(1, 'other'), 'kept', 'Names do not meet');
select is(shown(1, 'state'), 'available', 'A signal moves nobody who does not wait');
select take();
select is(tenure.signal(1, 'shipped'), 'kept', 'A running step does not wait either: R-123');
select tenure.wait_signal(1, 'w', 1, 'paid');
select
    is(
        shown(1, 'state', 'scheduled_at'),
        'available 2030-01-01T00:00:00+00:00',
        'What was kept ends the wait at once: R-123'
    );
select take();
select tenure.wait_signal(1, 'w', 2, 'paid');
select take();
select is(
    waits(1), '[["signal:paid:1", "arrived", {"by": "a"}], ["signal:paid:2", "arrived", {"by": "b"}]]'::jsonb,
    'First in, first out, each consumed once: R-122'
);
select set_clock('5 s');
select tenure.wait_signal(1, 'w', 3, 'paid', '10 s');
select is(shown(1, 'state'), 'waiting_signal', 'The third wait finds none: R-122');
select is(tenure.signal(1, 'unpaid'), 'kept', 'Another name does not end it');
select is(shown(1, 'state'), 'waiting_signal', 'It waits on');
select set_clock('14.999999 s');
select
    is(
        tenure.signal(1, 'paid', 'null'),
        'delivered',
        'One microsecond before the time-out it still arrives: R-124, R-125'
    );
select is(
    shown(1, 'state', 'attempt', 'scheduled_at', 'due_at', 'alarm_at'), 'available 1 2030-01-01T00:00:00+00:00 - -',
    'The step is available in its old place in line, same attempt: R-117'
);
select is(
    (waits(1) -> 2)::text,
    '["signal:paid:3", "arrived", null]',
    'JSON null is a payload, the outcome tells it arrived'
);
select set_clock('15 s');
select is(swept(), '0 reclaimed, 0 timed out, 0 discarded, 0 woken', 'The time-out does not come as well: R-125');
select take();
select tenure.wait_signal(1, 'w', 4, 'paid', '10 s');
select set_clock('25 s');
select
    is(
        tenure.signal(1, 'paid', '1'),
        'kept',
        'At the time-out it comes too late, though no sweep has been: R-014, R-125'
    );
select is(swept(), '0 reclaimed, 0 timed out, 0 discarded, 1 woken', 'The wait times out');
select is((waits(1) -> 3)::text, '["signal:paid:4", "timed_out", null]', 'That is its outcome');
select take();
select tenure.wait_signal(1, 'w', 5, 'paid');
select is((waits(1) -> 4)::text, '["signal:paid:5", "arrived", 1]', 'The late one is for the next wait: R-123');
select take();
select tenure.complete(1, 'w', 6);
select is(tenure.signal(1, 'paid'), 'over', 'A run that has ended takes none: R-124');
select is_empty(
    $$ select from tenure_private.signal as s where s.run_id = 1 and s.signal = 'paid' $$, 'And keeps none'
);

-- Payloads, one like the other.
select tenure.enqueue('loop');
select take();
select tenure.signal(2, 's', p.payload) from unnest(
    array[null, 'null', '{}', '""', 'false', '0', '[]']::jsonb[]
) with ordinality as p (payload, n) order by p.n;
create temporary table got (n int, signal jsonb);
do $$
begin
    for i in 1 .. 7 loop
        perform tenure.wait_signal(2, 'w', i, 's');
        insert into got select i, c.signal from tenure.claim(array['default'], 'w') as c;
    end loop;
end
$$;
select results_eq(
    'select g.signal from got as g order by g.n',
    format(
        $$ select jsonb_build_object(
            'key', 'signal:s:' || p.n, 'kind', 'signal', 'signal', 's', 'outcome', 'arrived', 'payload', p.payload)
           from unnest(%L::jsonb []) with ordinality as p (payload, n) order by p.n $$,
        array['null', 'null', '{}', '""', 'false', '0', '[]']::jsonb[]
    ),
    'Every payload arrives as it was sent: R-118'
);

select tenure.complete(2, 'w', 8);

-- Limits come first.
select set_clock('1 h');
select tenure.enqueue('late', deadline => '10 s');
select take();
select tenure.wait_signal(3, 'w', 1, 'go');
select set_clock('1 h 10 s');
select is(tenure.signal(3, 'go'), 'kept', 'Past its deadline a step is not woken any more: R-018');
select is(swept(), '0 reclaimed, 0 timed out, 1 discarded, 0 woken', 'It is discarded: R-064');

-- Two waiters in one run: the oldest wait gets it.
select tenure.enqueue('pair');
select add_child(4, 600, '{"state": "waiting_signal"}');
select add_child(4, 601, '{"state": "waiting_signal"}');
insert into tenure_private.wait (step_id, key, kind, signal, created_at)
values (601, 'k', 'signal', 'go', '2030-01-01 01:00:00+00'), (600, 'k', 'signal', 'go', '2030-01-01 01:00:01+00');
select is(tenure.signal(4, 'go', '1'), 'delivered', 'One signal for two waiters');
select is(
    format('%s %s', shown(600, 'state'), shown(601, 'state')),
    'waiting_signal available',
    'goes to the oldest wait alone: R-122'
);
select is(tenure.signal(4, 'go', '2'), 'delivered', 'The next one');
select is(shown(600, 'state'), 'available', 'to the other');
select is(tenure.signal(4, 'go', '3'), 'kept', 'The third finds nobody');

-- Refused.
select
    throws_ok(
        format('select tenure.signal(%s)', w.arguments),
        w.code,
        null,
        format('signal(%s) is refused: R-147', left(w.arguments, 20))
    )
from (
    values
    ('999, ''go''', 'TN001'),
    ('null, ''go''', 'TN001'),
    ('600, ''go''', 'TN002'),
    ('4, null', 'TN005'),
    ('4, ''''', 'TN005'),
    (format('4, %L', repeat('s', 1001)), 'TN005'),
    ('4, ''go'', to_jsonb(repeat(''x'', 1048576))', 'TN008')
) as w (arguments, code);
select is(
    (select count(*) from tenure_private.signal as s where s.run_id = 4), 1::bigint, 'Nothing was kept of these: R-145'
);
select is(tenure.signal(4, 'a"b''; $$ --', '"x"'), 'kept', 'A name is data: R-159');

select * from finish();
rollback;
