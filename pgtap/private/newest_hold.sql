begin;
select plan(3);

select is((tenure_private.newest_hold(7)).step_ids, null, 'None where nothing was ever claimed');
insert into tenure_private.quota_hold (quota_id, step_ids) values (7, '{1}'), (8, '{2}'), (7, '{3, 4}'), (9, '{5}');
select is((tenure_private.newest_hold(7)).step_ids, '{3, 4}', 'The newest counts');
select is((tenure_private.newest_hold(8)).step_ids, '{2}', 'Of that quota');

select * from finish();
rollback;
