begin;
select plan(10);

select lives_ok('select tenure_private.check_headers(null)', 'None are none');
select lives_ok($$ select tenure_private.check_headers('{}') $$, 'An object without members');
select lives_ok($$ select tenure_private.check_headers('{"a": [1, {"b": null}]}') $$, 'Members of any kind');
select lives_ok(
    $$ select tenure_private.check_headers(jsonb_build_object('h', repeat('x', 65000))) $$,
    'Nearly 64 kB of them: R-149'
);
select
    throws_ok(
        format('select tenure_private.check_headers(%L)', h.value),
        'TN007',
        'headers is no object',
        format('%s is refused', h.value)
    )
from (values ('null'), ('[]'), ('1'), ('"x"'), ('true')) as h (value);
select throws_ok(
    $$ select tenure_private.check_headers(jsonb_build_object('h', repeat('x', 65536))) $$, 'TN008', null,
    'More than 64 kB are refused: R-149'
);

select * from finish();
rollback;
