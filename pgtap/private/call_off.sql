begin;
select plan(3);

select is(
    jsonb_strip_nulls(to_jsonb(tenure_private.call_off('why'))),
    '{"verdict": "cancelled", "state": "cancelled", "reason": "why", "keeps_lease": true, "ends_attempt": "cancelled"}',
    'No error and no attempt consumed, and a lease that is there is kept: R-069, R-098'
);
select is((tenure_private.call_off(null)).reason, null, 'No reason need be given');
select is(length((tenure_private.call_off(repeat('é', 10001))).reason), 10000, 'A long one is cut');

select * from finish();
rollback;
