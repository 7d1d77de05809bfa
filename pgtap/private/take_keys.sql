begin;
select plan(7);

create function taken(p_items jsonb, p_new_ids bigint[])
returns bigint[]
language sql
as $$ select tenure_private.take_keys(p_items, p_new_ids, '2030-01-01 00:00:00+00') $$;

select is(taken('[]', '{}'), '{}', 'None is none');
select is(taken('[{"name": "a"}, {"name": "a"}]', '{1,2}'), '{1,2}', 'Without keys each has its own');
select is(
    taken(
        '[{"name": "a", "idempotency_key": "x"}, {"name": "b", "idempotency_key": "x"},
          {"name": "a", "idempotency_key": "x"}, {"name": "a"}, {"name": "a", "idempotency_key": null}]',
        '{11,12,13,14,15}'
    ),
    '{11,12,11,14,15}', 'The same key twice: the first of the two, R-131'
);
select is(
    taken('[{"name": "c"}, {"name": "b", "idempotency_key": "x"}]', '{21,22}'), '{21,12}',
    'A key of an earlier call: R-127'
);
select
    throws_ok(
        format('select taken(%L, ''{1}'')', i.items), 'TN005', null, format('%s is refused: R-147', i.items)
    )
from (
    values ('[{"name": "a", "idempotency_key": ""}]'),
    ('[{"name": "", "idempotency_key": "k"}]'),
    ('[{"idempotency_key": "k"}]')
) as i (items);

select * from finish();
rollback;
