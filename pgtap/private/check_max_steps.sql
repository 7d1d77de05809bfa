begin;
select plan(9);

select lives_ok(format('select tenure_private.check_max_steps(%s)', m.n), format('%s is taken', m.n))
from (values (1), (100), (1000)) as m (n);
select
    throws_ok(
        format('select tenure_private.check_max_steps(%s)', m.n), 'TN007', null, format('%s is refused: R-148', m.n)
    )
from (values ('null'), ('0'), ('-1'), ('1001'), ('2147483647'), ('-2147483648')) as m (n);

select * from finish();
rollback;
