begin;
select plan(5);
\ir ../session.psql
\ir ../steps.psql

select tenure.enqueue('job');
select throws_ok('select tenure_private.expire_lease(1)', 'TN001', null, 'A step that does not run has none');
select throws_ok('select tenure_private.expire_lease(99)', 'TN001', null, 'Nor has an unknown one');
select take('w', '1 h');
select set_clock('1 s');
select tenure_private.expire_lease(1);
select is(
    shown(1, 'state', 'lease_expiry', 'alarm_at'), 'running 2030-01-01T00:00:00.999999+00:00 2030-01-01T00:00:01+00:00',
    'It is over'
);
select is((tenure.heartbeat(1, 'w', 1)).verdict, 'renewed', 'Until it is swept it can be renewed: R-043');
select tenure_private.expire_lease(1);
select is(swept(), '1 reclaimed, 0 timed out, 0 discarded, 0 woken', 'And then the sweep reclaims it: R-070');

select * from finish();
rollback;
