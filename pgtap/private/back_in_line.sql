begin;
select plan(2);
\ir ../session.psql

select tenure.enqueue('job');
select
    is(
        jsonb_strip_nulls(to_jsonb(tenure_private.back_in_line(s, '2030-01-01 00:01:00+00', 'released'))),
        '{"verdict": "released", "state": "available", "scheduled_at": "2030-01-01T00:00:00+00:00"}',
        'Available in its old place in line, all else as it was: R-070, R-072'
    )
from tenure_private.step as s;
select
    is(
        (tenure_private.back_in_line(s, '2029-01-01 00:00:00+00', 'released')).scheduled_at, '2029-01-01 00:00:00+00',
        'Never later than at once'
    )
from tenure_private.step as s;

select * from finish();
rollback;
