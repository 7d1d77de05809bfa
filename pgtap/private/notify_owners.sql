begin;
select plan(2);
\ir ../session.psql
\ir ../steps.psql
-- Who hears what is seen by a session that listens: tests/ has it.

select tenure.enqueue('job') from generate_series(1, 2);
select count(*) from tenure.claim(array['default'], 'silent', 1);
select lives_ok($$ select tenure_private.notify_owners('{1,2,99}') $$, 'Without a worker that listens nobody is told');
select tenure.worker_hello('silent', array['default'], false);
select lives_ok($$ select tenure_private.notify_owners('{1,2,99}') $$, 'With one, one is: R-137');

select * from finish();
rollback;
