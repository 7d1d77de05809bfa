begin;
select plan(17);

select is(tenure_private.parse_seconds(d.given::jsonb, 'timeout'), d.seconds, d.given)
from (
    values
    ('"2 s"', 2.0), ('"100 ms"', 0.1), ('2', 2.0), ('0.000001', 0.000001), ('"1 day"', 86400.0), ('"1:30:00"', 5400.0),
    ('0', 0.0), ('"876576:00:00"', 3155673600.0)
) as d (given, seconds);
select
    throws_ok(
        format('select tenure_private.parse_seconds(%L, %L)', d.given, 'timeout'),
        d.code,
        null,
        format('%s is refused: R-480', d.given)
    )
from (
    values
    ('"soon"', 'TN007'), ('""', 'TN007'), ('null', 'TN007'), ('true', 'TN007'), ('{}', 'TN007'), ('[1]', 'TN007'),
    ('-1', 'TN006'), ('"1 month"', 'TN006'), ('1e400', 'TN007')
) as d (given, code);

select * from finish();
rollback;
