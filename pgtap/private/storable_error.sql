begin;
select plan(33);

select is(
    tenure_private.storable_error(null), '{"type": "Error", "message": "no error was given"}',
    'NULL says that none was given: R-057'
);
select
    is(
        tenure_private.storable_error(e.given::jsonb), e.given::jsonb, format('%s is stored as it is: R-056', e.given)
    )
from (
    values
    ('{"type": "E", "message": "m", "traceback": "t", "more": [1, {"a": null}]}'),
    ('{}'),
    ('"text"'),
    ('[1]'),
    ('0'),
    ('false'),
    ('{"message": "\u0001 \\ \" é 🐘"}')
) as e (given);
select is(
    tenure_private.storable_error(jsonb_build_object('message', repeat('x', 65000))) ->> 'message', repeat('x', 65000),
    'Up to 64 kB nothing is cut: R-056'
);

-- 10 MB of anything.
create temporary table cut as
select
    b.what,
    tenure_private.storable_error(b.error) as error
from (
    values
    ('message', jsonb_build_object('type', 'E', 'message', repeat('m', 10000000))),
    ('traceback', jsonb_build_object('type', 'E', 'message', 'm', 'traceback', repeat('t', 9999990) || 'the end')),
    ('all', jsonb_build_object(
        'type', repeat('T', 5000000), 'message', repeat('m', 5000000), 'traceback', repeat('t', 5000000)
    )),
    ('unicode', jsonb_build_object(
        'type', repeat('é', 5000000), 'message', repeat('🐘', 2500000), 'traceback', repeat('🐘', 2500000)
    )),
    ('escapes', jsonb_build_object('message', repeat(E'\\"\n', 3000000), 'traceback', repeat(E'\u0001', 3000000))),
    ('string', to_jsonb(repeat('s', 10000000))),
    ('array', to_jsonb(array_fill('x'::text, array[1000000]))),
    ('object', jsonb_build_object('other', repeat('o', 10000000))),
    ('typed oddly', jsonb_build_object('type', 1, 'message', array_fill(1, array[100000])))
) as b (what, error);
select ok(pg_column_size(c.error) <= 65536, format('10 MB of %s become at most 64 kB: R-056', c.what))
from cut as c;
select is(c.error -> 'cut', 'true', format('And say that they were cut: %s', c.what)) from cut as c;
select is(
    (select left(c.error ->> 'message', 3) from cut as c where c.what = 'message'), 'mmm', 'A message keeps its start'
);
select ok(
    (select length(c.error ->> 'message') from cut as c where c.what = 'message') > 10000, 'And much of it'
);
select alike(
    (select c.error ->> 'traceback' from cut as c where c.what = 'traceback'), '%ttt%the end',
    'A traceback keeps its end'
);
select is((select c.error ->> 'message' from cut as c where c.what = 'traceback'), 'm', 'What is short is kept whole');
select is(
    (select left(c.error ->> 'message', 3) from cut as c where c.what = 'string'), 'sss', 'A text becomes the message'
);
select ok(
    (select length(c.error ->> 'message') from cut as c where c.what = 'object') > 0, 'So does whatever else it was'
);

select * from finish();
rollback;
