begin;
select plan(7);
\ir ../session.psql

select is(tenure_private.next_due_in('-infinity'), null, 'Nothing is to come: R-089');
select tenure.enqueue('job', deadline => '1 h');
select tenure.enqueue('job', deadline => '2 h');
select is(tenure_private.next_due_in('-infinity'), '1 h', 'The first alarm: R-089');
select is(tenure_private.next_due_in('2030-01-01 01:00:00.000001+00'), '2 h', 'From the floor on: R-167');
select is(tenure_private.next_due_in('2030-01-01 01:00:00+00'), '1 h', 'The floor itself included');
select set_clock('59 m 59.95 s');
select is(tenure_private.next_due_in('-infinity'), '100 ms', 'A tenth of a second at least');
select set_clock('3 h');
select is(
    tenure_private.next_due_in('-infinity'), '100 ms', 'What is due and was passed over is locked: not at once again'
);
select tenure.cancel(1);
select tenure.cancel(2);
select is(tenure_private.next_due_in('-infinity'), null, 'What has ended has no alarm: R-011, R-089');

select * from finish();
rollback;
