begin;
select plan(4);

create function preset(p_name text)
returns jsonb
language sql
as $$ select jsonb_strip_nulls(to_jsonb(tenure_private.preset(p_name))) $$;

select is(
    preset(null), '{"retention": "168:00:00", "discarded_retention": "720:00:00"}',
    'None: no bounds, 7 and 30 days: R-024, R-139'
);
select is(
    preset('delivery'),
    '{"timeout_default": "00:00:30", "timeout_floor": "00:00:00.1", "timeout_ceiling": "00:15:00",
      "retention": "168:00:00",
      "discarded_retention": "720:00:00"}',
    'delivery: 30 s, 100 ms and 900 s: R-024'
);
select throws_ok($$ select preset('Delivery') $$, 'TN007', null, 'An unknown one is refused');
select throws_ok($$ select preset('') $$, 'TN007', null, 'And an empty one');

select * from finish();
rollback;
