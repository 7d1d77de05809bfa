begin;
select plan(1);

select is(
    jsonb_strip_nulls(to_jsonb(tenure_private.ask_for('complete'))), '{"verb": "complete"}',
    'The verb, and nothing else yet'
);

select * from finish();
rollback;
