begin;
select plan(5);
\ir ../session.psql

-- Arrays of arrays are refused as any other bad input is, with a code of the engine's.
select throws_ok(c.call, 'TN007', null, format('Refused: %s, R-144', c.call))
from (
    values
    ('select tenure.claim(array[[''default''], [''default'']], ''w'')'),
    ('select tenure.heartbeat_many(array[[1], [2]], ''w'', array[[1], [2]])'),
    ('select tenure.heartbeat_many(array[1, 2], ''w'', array[[1], [2]])'),
    ('select tenure.complete_many(array[[1], [2]], ''w'', array[1, 2])'),
    ('select tenure.fold(array[[1], [2]])')
) as c (call);

select * from finish();
rollback;
