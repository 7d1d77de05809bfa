begin;
select plan(27);
set local intervalstyle = 'postgres';

select
    is(
        tenure_private.duration(d.given::interval, 'x')::text, d.kept, format('%s is %s: R-025', d.given, d.kept)
    )
from (
    values
    ('0', '00:00:00'),
    ('1 us', '00:00:00.000001'),
    ('250 ms', '00:00:00.25'),
    ('1.5 h', '01:30:00'),
    ('1 d', '24:00:00'),
    ('1 week', '168:00:00'), ('P1DT2H', '26:00:00'), ('2 days -1 h', '47:00:00'), ('-1 day 25 h', '01:00:00'),
    ('36525 days', '876600:00:00'), ('876600 h', '876600:00:00'), ('876599:59:59.999999', '876599:59:59.999999')
) as d (given, kept);
select is(tenure_private.duration(null, 'x'), null, 'NULL stays NULL');
select
    throws_ok(
        format('select tenure_private.duration(%L, ''x'')', d.given),
        'TN006',
        null,
        format('%s is refused: R-025', d.given)
    )
from (
    values
    ('1 mon'),
    ('-1 mon'),
    ('1 year'),
    ('12 mons -360 days'),
    ('1 mon -31 days'),
    ('-1 us'),
    ('1 day -25 h'),
    ('876600:00:00.000001'),
    ('36526 days'), ('292278 years'), ('2562047788 h'), ('106751991 days')
) as d (given);
select throws_ok(
    $$ select tenure_private.duration('infinity', 'x') $$,
    -- Before 17 there are no infinite intervals.
    case when current_setting('server_version_num')::int < 170000 then '22007' else 'TN006' end::char(5), null,
    'An infinite one is refused: R-025'
);
select throws_ok(
    $$ select tenure_private.duration('-1 s', 'lease_ttl') $$, 'TN006', 'lease_ttl must not be negative',
    'It says which one it was'
);

select * from finish();
rollback;
