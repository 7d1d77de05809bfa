begin;
select plan(12);
\ir ../session.psql
\ir ../steps.psql

create function settled(p_step_id bigint, p_verb text, p_owner text default 'w', p_generation bigint default 1)
returns text
language plpgsql
as $$
declare
    v_step tenure_private.step;
begin
    select s.* into v_step from tenure_private.step as s where s.step_id = p_step_id;
    return tenure_private.settle_one(v_step, p_owner, p_generation, tenure_private.clock(), tenure_private.ask_for(p_verb));
end
$$;

select tenure.enqueue('job') from generate_series(1, 3);
select take();
select is(settled(1, 'release'), 'released', 'What was decided');
select is(shown(1, 'state', 'releases', 'reported'), 'available 1 release released w', 'has landed, with the report');
select is(settled(1, 'release'), 'released', 'Again: R-050');
select is(shown(1, 'releases'), '1', 'Nothing lands twice');
select tenure.cancel(2);
select is(settled(2, 'release', 'x'), 'cancelled', 'Somebody else''s report of a step that was ended from outside');
select is((select s.lease_owner from tenure_private.step as s where s.step_id = 2), 'w', 'leaves the lease: R-098');
select is(settled(2, 'release', p_generation => 2), 'cancelled', 'So does that of another generation');
select is(
    (select s.lease_owner from tenure_private.step as s where s.step_id = 2), 'w', 'The body has not come back: R-098'
);
select is(settled(2, 'release'), 'cancelled', 'Its worker''s');
select is(
    (select concat_ws(' ', s.lease_owner, s.lease_expiry) from tenure_private.step as s where s.step_id = 2), '',
    'ends it: R-098'
);
select is(settled(3, 'skip', 'x'), 'stale', 'A report without the lease');
select is(shown(3, 'state', 'lease_owner'), 'running w', 'changes nothing of a running step: R-048');

select * from finish();
rollback;
