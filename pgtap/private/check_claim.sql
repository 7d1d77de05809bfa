begin;
select plan(13);

select is(tenure_private.check_claim('w', 1, '30 s'), '30 s', 'It returns the ttl');
select is(tenure_private.check_claim('w', 1000, '1 day')::text, '24:00:00', 'In pure seconds: R-026');
select
    throws_ok(
        format('select tenure_private.check_claim(%s)', a.arguments), a.code, null, format('%s is refused', a.arguments)
    )
from (
    values
    ('null, 1, ''30 s''', 'TN005'), (''''', 1, ''30 s''', 'TN005'), ('''w'', 0, ''30 s''', 'TN007'),
    ('''w'', 1001, ''30 s''', 'TN007'), ('''w'', null, ''30 s''', 'TN007'), ('''w'', 1, null', 'TN006'),
    ('''w'', 1, ''0''', 'TN006'), ('''w'', 1, ''-1 s''', 'TN006'), ('''w'', 1, ''1 mon''', 'TN006'),
    ('''w'', 1, ''101 years''', 'TN006'), ('''w'', 1, ''876600 h 1 us''', 'TN006')
) as a (arguments, code);

select * from finish();
rollback;
