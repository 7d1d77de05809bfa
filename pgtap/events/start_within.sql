begin;
select plan(12);
\ir ../session.psql
\ir ../steps.psql

select tenure.enqueue('t', start_within => '30 s');
select tenure.enqueue('t', start_within => '30 s', delay => '60 s');
select tenure.enqueue('t', start_within => '30 s', scheduled_at => '2029-12-31 23:00:00+00');
select set_clock('29.999999 s');
select is(swept(), '0 reclaimed, 0 timed out, 0 discarded, 0 woken', 'Before it nothing happens: R-014');
select set_clock('30 s');
select is(take(), 0::bigint, 'At it nothing is claimed, unswept: R-033');
select is(swept(), '0 reclaimed, 0 timed out, 2 discarded, 0 woken', 'Those due in the past count from their making');
select is(
    shown(1),
    '{"state": "discarded", "attempt": 1, "due": "00:00:00", "reclaims": 0, "releases": 0, "kind": "start_within",
      "error": {"type": "LimitPassed", "kind": "start_within", "message": "step t was not started in time",
                "step": "t", "limit": 30, "layer": "start_within"}}',
    'A start_within that passes discards: R-065'
);
select is(logged(1), null, 'No attempt is logged: none ran');
select set_clock('89.999999 s');
select is(swept(), '0 reclaimed, 0 timed out, 0 discarded, 0 woken', 'A delay is not in it: R-019');
select is(take(), 1::bigint, 'In time it is claimed');
select is(tenure.release(2, 'w', 1), 'released', 'It is handed back');
select set_clock('1000 s');
select is(swept(), '0 reclaimed, 0 timed out, 0 discarded, 0 woken', 'It binds no later claim: R-019');
select is(take(), 1::bigint, 'So it is claimed again: R-019');

select tenure.enqueue('t', start_within => '0');
select is(take(), 0::bigint, 'A start_within of 0 is never claimed: R-017, R-033');
select is(swept(), '0 reclaimed, 0 timed out, 1 discarded, 0 woken', 'It is discarded by the next sweep: R-017');

select * from finish();
rollback;
