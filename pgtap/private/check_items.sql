begin;
select plan(12);

select lives_ok(format('select tenure_private.check_items(%L)', i.items), format('%s is taken', i.items))
from (values ('[]'), ('[{}]'), ('[{"name": "a"}, {"name": "b"}]')) as i (items);
select
    throws_ok(
        format('select tenure_private.check_items(%L)', i.items), 'TN007', 'steps is malformed',
        format('%s is refused: R-132', coalesce(i.items, 'NULL'))
    )
from (values (null), ('null'), ('{}'), ('1'), ('"a"'), ('[1]'), ('[{}, null]'), ('[[]]'), ('[{}, "a"]')) as i (items);

select * from finish();
rollback;
