begin;
select plan(5);

select tenure.create_queue('a "b" $$');
select is((tenure_private.find_queue('a "b" $$')).name, 'a "b" $$', 'A queue by its name');
select throws_ok(
    $$ select tenure_private.find_queue('A "b" $$ || '$$' || $$') $$, 'TN003', null, 'Not by another: R-146'
);
select throws_ok($$ select tenure_private.find_queue('') $$, 'TN005', null, 'An empty name: R-147');
select throws_ok('select tenure_private.find_queue(null)', 'TN005', null, 'NULL: R-147');
select throws_ok(
    format('select tenure_private.find_queue(%L)', repeat('q', 1001)), 'TN005', null, 'A name that is too long: R-147'
);

select * from finish();
rollback;
