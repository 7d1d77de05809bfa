begin;
select plan(5);

update tenure_private.high_clock set seen_at = '2026-01-01 00:00:00+00';
insert into tenure_private.setting (name, bytes) values ('input', 9999);
select is(
    (select array_agg(s.bytes) from tenure_private.setting as s where s.name = 'input'), array[9999],
    'A setting that comes from a dump takes the place of the one that the install made'
);
select is((select count(*) from tenure_private.setting), 5::bigint, 'The others stay');

insert into tenure_private.queue (queue_id, name, retention, discarded_retention)
overriding system value values (1, 'default', '1 h', '2 h');
select results_eq(
    'select q.queue_id, q.retention from tenure_private.queue as q where q.name = ''default''',
    $$values (1, interval '1 h')$$, 'So does the queue default'
);
select throws_ok(
    $$insert into tenure_private.queue (name, retention, discarded_retention) values ('default', '1 h', '2 h')$$,
    '23505', null, 'Another queue of its name does not'
);

insert into tenure_private.high_clock (seen_at) values ('2026-02-02 00:00:00+00');
select results_eq(
    'select h.seen_at from tenure_private.high_clock as h', $$values (timestamptz '2026-02-02 00:00:00+00')$$,
    'So does the highest clock'
);

select * from finish();
rollback;
