begin;
select plan(4);
\ir ../session.psql

create function hidden(p_step_ids bigint[])
returns bigint[]
language sql security definer
as $$
select array_agg(h.step_id order by h.step_id) from unnest(tenure_private.hidden_steps(p_step_ids)) as h (step_id)
$$;
select tenure.create_queue('mail');
select tenure.enqueue('t', queue => u.name) from unnest(array['mail', 'default', 'mail']) as u (name);
select is(hidden('{1,2,3}'), null, 'Without grants nothing is hidden: R-230');
select tenure.grant_queue('mail', 'tenure_worker');
set local role tenure_client;
select is(hidden('{3,1,2,9,1}'), '{1,3}', 'Steps in another''s queue are: R-232');
set local role tenure_worker;
select is(hidden('{1,2,3}'), '{2}', 'And in any but one''s own: R-232');
select is(hidden('{9}'), null, 'What is not there is not hidden');
reset role;

select * from finish();
rollback;
