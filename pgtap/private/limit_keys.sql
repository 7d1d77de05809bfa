begin;
select plan(3);
set local time zone 'UTC';

insert into tenure_private.idempotency (kind, name, key, step_id)
values ('step', 'a', 'k', 1), ('step', 'b', 'k', 2), ('step', 'c', 'k', 3);
select tenure_private.limit_keys('{1,3}', '2030-01-01 00:00:00+00', '1 h');
select results_eq(
    'select i.step_id, i.expires_at from tenure_private.idempotency as i order by i.step_id',
    $$ values (1::bigint, timestamptz '2030-01-01 01:00:00+00'), (2, null), (3, '2030-01-01 01:00:00+00') $$,
    'The keys of these steps hold for a period: R-129'
);
select tenure_private.limit_keys('{2}', '2030-01-01 00:00:00+00', null);
select is(
    (select i.expires_at from tenure_private.idempotency as i where i.step_id = 2), null,
    'NULL: as long as the row lives'
);
select tenure_private.limit_keys('{2}', '2030-01-01 00:00:00+00', '0');
select is(
    (select i.expires_at from tenure_private.idempotency as i where i.step_id = 2), '2030-01-01 00:00:00+00',
    '0: not at all'
);

select * from finish();
rollback;
