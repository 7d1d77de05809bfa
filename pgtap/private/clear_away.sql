begin;
select plan(3);
\ir ../session.psql

insert into tenure_private.waiter (channel, queues, expires_at)
values ('old', '{}', '2029-12-31 23:59:59.999999+00'), ('new', '{}', '2030-01-01 00:00:00+00');
insert into tenure_private.worker (owner, channel, queues, idle, hello_at, expires_at)
values
('old', 'c', '{}', true, '2029-12-24 00:00:00+00', '2029-12-24 23:59:59.999999+00'),
('new', 'c', '{}', true, '2029-12-24 00:00:00+00', '2029-12-25 00:00:00+00');
insert into tenure_private.head (track_id, head)
values (1000000, '2029-01-02 00:00:00+00'), (1000000, '2029-01-01 00:00:00+00');
select tenure_private.clear_away(tenure_private.clock());
select results_eq(
    'select w.channel from tenure_private.waiter as w', $$ values ('new') $$, 'A hello that is over goes: R-136'
);
select results_eq(
    'select w.owner collate "default" from tenure_private.worker as w', $$ values ('new') $$,
    'So does a worker that was not heard of for a week'
);
select is(
    (select array_agg(h.head) from tenure_private.head as h where h.track_id = 1000000), '{2029-01-01 00:00:00+00}',
    'Of each head the newest row is kept'
);

select * from finish();
rollback;
