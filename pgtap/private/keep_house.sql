begin;
select plan(8);
\ir ../session.psql
\ir ../steps.psql

select tenure.worker_hello('old', array['default'], true);
select tenure.create_queue('none', retention => '0');
select tenure.enqueue('done', queue => 'none');
select count(*) from tenure.claim(array['none'], 'w', 1);
select tenure.complete(1, 'w', 1);
insert into tenure_private.head (track_id, head)
values (1000000, '2029-01-01 00:00:00+00'), (1000000, '2029-01-02 00:00:00+00');
select set_clock('15 s');
select tenure.worker_hello('new', array['default'], true);
select set_clock('15.000001 s');
select tenure_private.keep_house();
select is_empty('table tenure_private.step', 'Runs past their retention go: R-140');
select is((select count(*) from tenure_private.waiter), 1::bigint, 'So does a waiter whose hello is over: R-136');
select is((select count(*) from tenure_private.worker), 2::bigint, 'Workers are remembered for a while');
select is(
    (select array_agg(h.head) from tenure_private.head as h where h.track_id = 1000000), '{2029-01-02 00:00:00+00}',
    'Of each head the newest row is kept'
);
select tenure.enqueue('done', queue => 'none');
select count(*) from tenure.claim(array['none'], 'w', 1);
select tenure.complete(2, 'w', 1);
select tenure_private.keep_house();
select is((select count(*) from tenure_private.step), 1::bigint, 'Once a second is enough');
select set_clock('16.000001 s');
select tenure_private.keep_house();
select is_empty('table tenure_private.step', 'A second later it is done again');
select set_clock('168 h 15 s');
select tenure_private.keep_house();
select is((select count(*) from tenure_private.worker), 2::bigint, 'A worker is remembered for a week');
select set_clock('168 h 15.000001 s');
delete from tenure_private.head as h where h.track_id = -2;
select tenure_private.keep_house();
select results_eq(
    'select w.owner collate "default" from tenure_private.worker as w', $$ values ('new') $$, 'And no longer'
);

select * from finish();
rollback;
