begin;
select plan(9);
\ir ../session.psql

create function resolved(
    p_name text, p_queue text default null, p_priority int default null, p_timeout interval default null,
    p_max_attempts int default null, p_max_reclaims int default null, p_on_timeout text default null
)
returns text
language plpgsql
as $$
declare
    v_settings constant tenure_private.settings = tenure_private.resolve(
        p_name, p_queue, p_priority, p_timeout, null, p_max_attempts, null, p_max_reclaims, p_on_timeout, null, null, null
    );
begin
    return (
        select concat_ws(
            ' ', q.name, k.priority, k.name, coalesce(s.timeout::text, '-'), coalesce(s.deadline::text, '-'),
            s.max_attempts, coalesce(s.backoff::text, '-'), coalesce(s.max_reclaims::text, '-'), s.on_timeout,
            coalesce(s.start_within::text, '-'), coalesce(s.progress_timeout::text, '-'),
            coalesce(s.idempotency_period::text, '-'), coalesce(s.headers::text, '-')
        )
        from (select v_settings.*) as s
        join tenure_private.track as k on k.track_id = s.track_id
        join tenure_private.queue as q on q.queue_id = s.queue_id
    );
end
$$;

select tenure.create_queue('io', timeout_default => '10 s', timeout_ceiling => '1 m');
select is(resolved('mail'), 'default 0 mail - - 5 - 10 abandon - - - -', 'What is built in: R-016, R-076');
select is(resolved('mail', 'io'), 'io 0 mail 00:00:10 - 5 - 10 abandon - - - -', 'What the queue says: R-016');
select tenure.define_step(
    'mail', 'io', 7, '20 s', '1 h', 3, '{"base": 2}', -1, 'wait', '{"h": 1}', '1 m', '2 m', '3 m'
);
select is(
    resolved('mail'), 'io 7 mail 00:00:20 01:00:00 3 {"base": 2} - wait 00:01:00 00:02:00 00:03:00 {"h": 1}',
    'What the definition says: R-016'
);
select is(
    resolved('mail', 'default', -7, '30 s', 0, 4, 'abandon'),
    'default -7 mail 00:00:30 01:00:00 1 {"base": 2} 4 abandon 00:01:00 00:02:00 00:03:00 {"h": 1}',
    'What the call says: R-016'
);
select is(resolved('sms'), 'default 0 sms - - 5 - 10 abandon - - - -', 'Another name has its own');
select throws_ok($$ select resolved('mail', 'nowhere') $$, 'TN003', null, 'An unknown queue is refused: R-146');
select throws_ok($$ select resolved(null) $$, 'TN005', null, 'No name too: R-147');
select throws_ok(
    $$ select resolved('mail', p_timeout => '2 m') $$, 'TN009', null, 'A timeout out of bounds too: R-023'
);
select throws_ok(
    $$ select resolved('mail', p_priority => 101) $$, 'TN007', null, 'And whatever else is malformed: R-148'
);

select * from finish();
rollback;
