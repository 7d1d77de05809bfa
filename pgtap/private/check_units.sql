begin;
select plan(8);

create function checked(p_units int, p_capacity int)
returns void
language sql
as $$ select tenure_private.check_units(row(1, 'http', p_capacity)::tenure_private.quota, p_units) $$;

select lives_ok('select checked(1, 1)', 'As much as there is');
select lives_ok('select checked(2147483647, 2147483647)', 'Even the most');
select throws_ok('select checked(2, 1)', 'TN007', 'the quota could never hold these units', 'Not more: R-461');
select throws_ok(
    'select checked(1, 0)', 'TN007', 'the quota could never hold these units', 'Of nothing, nothing: R-461'
);
select throws_ok('select checked(0, 1)', 'TN007', 'quota_units is out of range', 'No units are none: R-461');
select throws_ok('select checked(-1, 1)', 'TN007', 'quota_units is out of range', 'Nor are fewer: R-461');
select throws_ok('select checked(null, 1)', 'TN007', 'quota_units is out of range', 'Nor is NULL: R-461');
select lives_ok('select tenure_private.check_units(null, 9)', 'Without a quota nothing bounds them');

select * from finish();
rollback;
