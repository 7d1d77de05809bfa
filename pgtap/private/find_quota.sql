begin;
select plan(5);

select tenure.set_quota('a "b" $$', 5);
select is((tenure_private.find_quota('a "b" $$')).capacity, 5, 'A quota by its name');
select throws_ok($$ select tenure_private.find_quota('A') $$, 'TN015', null, 'An unknown one is refused: R-461');
select throws_ok($$ select tenure_private.find_quota('') $$, 'TN005', null, 'An empty name: R-147');
select throws_ok('select tenure_private.find_quota(null)', 'TN005', null, 'NULL: R-147');
select throws_ok(
    format('select tenure_private.find_quota(%L)', repeat('q', 1001)), 'TN005', null, 'A name that is too long: R-147'
);

select * from finish();
rollback;
