begin;
select plan(8);

select tenure_private.add_layers(
    '{7}', '[{"timeout": 9}, {"timeout": 5}, {"retry": {"attempts": 2}}, {"timeout": 1}]', '2030-01-01 00:00:00+00'
);
create function passed(p_second numeric)
returns text
language sql
as $$
select concat_ws(' ', l.position, l.kind)
from tenure_private.passed_layer(7, '2030-01-01 00:00:00+00'::timestamptz + p_second * interval '1 s') as l
$$;
select is(passed(4.999999), '', 'None yet; the last counts from the claim: R-484');
select is(passed(5), '2 timeout', 'One: R-489');
select is(passed(9), '1 timeout', 'Of several the outermost: R-489');
select is((tenure_private.passed_layer(8, '2040-01-01 00:00:00+00')).step_id, null, 'Of another step none');
select is(tenure_private.nearest_layer(7), '2030-01-01 00:00:05+00', 'The nearest');
select is(tenure_private.nearest_layer(8), null, 'Of another step none');
select ok(tenure_private.has_layers(7), 'It has layers');
select ok(not tenure_private.has_layers(8), 'Another has none');

select * from finish();
rollback;
