begin;
select plan(10);
\ir ../session.psql

-- What a when says of these keys.
create function judged(p_when text, p_keys jsonb)
returns boolean
language sql
as $$
select tenure.define_workflow('w', jsonb_build_object('nodes', jsonb_build_array(
    jsonb_build_object('name', 'a', 'requires', array['x'], 'optional', array['y'], 'when', p_when)
)));
with run as materialized (select tenure.start('w', p_keys) as run_id)
select tenure_private.holds(r.run_id, 1, n) from run as r cross join tenure_private.node as n order by n.node_id desc limit 1
$$;
select is(judged('$.x > 5', '{"x": 7}'), true, 'True: R-414');
select is(judged('$.x > 5', '{"x": 5}'), false, 'False: R-414');
select is(judged('$.x > 5', '{"x": "7"}'), false, 'What cannot be compared: R-414');
select is(judged('$.x', '{"x": true}'), true, 'A boolean by itself: R-414');
select is(judged('$.x', '{"x": 1}'), false, 'What is no boolean: R-414');
select is(judged('$.y == 1', '{"x": 1}'), false, 'A key that is not there: R-414');
select is(judged('$.x / 0 > 1', '{"x": 1}'), false, 'An error: R-414');
select is(
    judged('$.x.datetime() < $.y.datetime()', '{"x": "2030-01-01", "y": "2030-01-01T00:00:00+01:00"}'), false,
    'An error that PostgreSQL raises though it was told to be silent: R-414'
);
select is(
    judged('$.** == 1', jsonb_build_object('x', (repeat('[', 12000) || repeat(']', 12000))::jsonb)), false,
    'An error that is one of the server''s limits: R-414'
);
select is(judged('$.x == "$\"$"', '{"x": "$\"$"}'), true, 'A dollar in a string is no variable');
select * from finish();
rollback;
