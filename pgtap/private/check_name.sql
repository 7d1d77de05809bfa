begin;
select plan(15);

select lives_ok(format('select tenure_private.check_name(%L, ''x'')', n.name), format('%s… is a name', left(n.name, 8)))
from (
    values ('a'),
    (' '),
    ('a b'),
    ('$$'),
    ('a"b''c;--'),
    (E'\n'),
    ('ü'),
    (repeat('x', 1000)),
    (repeat('é', 500)),
    (repeat('🐘', 250))
) as n (name);
select
    throws_ok(
        format('select tenure_private.check_name(%L, ''owner'')', n.name), 'TN005', n.message,
        format('%s… is refused: R-147', left(coalesce(n.name, 'NULL'), 8))
    )
from (
    values
    (null, 'owner must not be null or empty'),
    ('', 'owner must not be null or empty'),
    (repeat('x', 1001), 'owner is too long'),
    (repeat('é', 501), 'owner is too long'), (repeat('🐘', 251), 'owner is too long')
) as n (name, message);

select * from finish();
rollback;
