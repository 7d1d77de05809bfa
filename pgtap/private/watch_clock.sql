begin;
select plan(8);
\ir ../session.psql

create function seen()
returns text
language plpgsql
as $$
begin
    perform tenure_private.watch_clock();
    return (select h.seen_at::text from tenure_private.high_clock as h);
end
$$;

update tenure_private.high_clock set seen_at = '2029-12-31 00:00:00+00';
select tenure.enqueue('job', deadline => '1 h');
select is(seen(), '2030-01-01 00:00:00+00', 'The latest clock is kept: R-092');
select set_clock('1 s');
select is(seen(), '2030-01-01 00:00:00+00', 'Not written more than once a second');
select set_clock('1.000001 s');
select is(seen(), '2030-01-01 00:00:01.000001+00', 'But after it');
select set_clock('0.000001 s');
select is(seen(), '2030-01-01 00:00:01.000001+00', 'A second back is within what clocks do');
select is(shown(1, 'alarm_at'), '2030-01-01T01:00:00+00:00', 'Nothing is set anew');
select set_clock('-1 day');
select is(seen(), '2029-12-31 00:00:00+00', 'A day back is noticed: R-092');
select is(
    shown(1, 'deadline_at'), '2029-12-31T00:59:58.999999+00:00',
    'And what was set by the old clock is set anew: R-092'
);
select is(shown(1, 'alarm_at'), '2029-12-31T00:00:00+00:00', 'Its alarm rings at once, to be set by the sweep');

select * from finish();
rollback;
