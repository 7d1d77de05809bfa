begin;
select plan(1);

select is(
    jsonb_strip_nulls(to_jsonb(tenure_private.completion())), '{"verdict": "completed", "state": "completed"}',
    'It has ended, and all else is as it was: R-053'
);

select * from finish();
rollback;
