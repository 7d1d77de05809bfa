begin;
select plan(13);

select lives_ok($$ select tenure_private.check_pairs('{}', 'w', '{}') $$, 'No pairs');
select lives_ok($$ select tenure_private.check_pairs('{1,2}', 'w', '{1,1}') $$, 'Two pairs');
select lives_ok($$ select tenure_private.check_pairs('{1,1}', 'w', '{1,2}') $$, 'One id twice');
select
    throws_ok(
        format('select tenure_private.check_pairs(%L, ''w'', %L)', p.step_ids, p.generations), 'TN007', null,
        format('%s with %s is refused: R-153', coalesce(p.step_ids, 'NULL'), coalesce(p.generations, 'NULL'))
    )
from (
    values (null, null),
    ('{1}', null),
    (null, '{1}'),
    ('{1}', '{}'),
    ('{}', '{1}'),
    ('{1,2}', '{1}'),
    ('{1,null}', '{1,1}'),
    ('{1}', '{null}')
) as p (step_ids, generations);
select throws_ok(
    $$ select tenure_private.check_pairs('{1}', '', '{1}') $$, 'TN005', null, 'An empty owner is refused: R-147'
);
select throws_ok($$ select tenure_private.check_pairs('{1}', null, '{1}') $$, 'TN005', null, 'And NULL: R-147');

select * from finish();
rollback;
