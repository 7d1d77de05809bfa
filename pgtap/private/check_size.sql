begin;
select plan(18);

select
    lives_ok(
        format('select tenure_private.check_size(%L, %s)', s.what, s.bytes), format('%s of %s bytes', s.what, s.bytes)
    )
from (
    values
    ('input', 1048576),
    ('output', 16777216),
    ('headers', 65536),
    ('payload', 1048576),
    ('report', 1048576),
    ('definition', 1048576),
    ('input', 0),
    ('whatever', 8192)
) as s (what, bytes);
select lives_ok($$ select tenure_private.check_size('input', null) $$, 'NULL has no size');
select
    throws_ok(
        format('select tenure_private.check_size(%L, %s)', s.what, s.bytes), 'TN008', s.what || ' is too large',
        format('%s of %s bytes is refused: R-149', s.what, s.bytes)
    )
from (
    values ('input', 1048577),
    ('definition', 1048577),
    ('output', 16777217),
    ('headers', 65537),
    ('payload', 1048577),
    ('report', 1048577)
) as s (what, bytes);
update tenure_private.setting as s set bytes = 10000 where s.name = 'input';
select lives_ok($$ select tenure_private.check_size('input', 10000) $$, 'The settings rule: R-149');
select throws_ok($$ select tenure_private.check_size('input', 10001) $$, 'TN008', null, 'Down as well as up: R-149');
select throws_ok(
    'update tenure_private.setting set bytes = 8191', '23514', null, 'But not under 8 kB, where nothing is looked up'
);

select * from finish();
rollback;
