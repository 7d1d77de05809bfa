begin;
select plan(2);

select matches(tenure.schema_version(), '^\d+\.\d+\.\d+$', 'It is a version of three numbers');
update tenure_private.installation set version = '9.8.7';
select is(tenure.schema_version(), '9.8.7', 'The one that is installed in this database');

select * from finish();
rollback;
