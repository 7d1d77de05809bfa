begin;
select plan(8);
\ir ../session.psql

create function checked(p_name text, p_queue text)
returns text
language plpgsql security definer
as $$
begin
    perform tenure_private.check_definition(p_name, p_queue);
    return 'allowed';
exception when sqlstate 'TN018' then
    return 'refused';
end
$$;
select tenure.create_queue(u.name) from unnest(array['own', 'other']) as u (name);
select tenure.define_step('own', queue => 'own');
select tenure.define_step('other', queue => 'other');
select tenure.define_step('none');
select tenure.grant_queue('own', 'tenure_worker');
select tenure.grant_queue('other', 'tenure_client');
set local role tenure_worker;
select is(checked('new', null), 'refused', 'A new name without a queue is for the default one: R-234');
select is(checked('new', 'own') || ' ' || checked('new', 'other'), 'allowed refused', 'A new name with one: R-234');
select is(checked('own', 'own'), 'allowed', 'The same queue: R-234');
select is(checked('own', null), 'refused', 'One''s own name, to the default queue: R-234');
select is(checked('other', 'own') || ' ' || checked('other', null), 'refused refused', 'Another''s name: R-234');
select is(checked('none', null), 'refused', 'A name that names none: R-234');
select is(checked('none', 'own'), 'refused', 'Away from the default queue: R-234');
reset role;
select tenure.grant_queue('default', 'tenure_worker');
set local role tenure_worker;
select is(
    concat_ws(' ', checked('new', null), checked('none', null), checked('none', 'own'), checked('own', null)),
    'allowed allowed allowed allowed', 'Whose the default queue is defines names for it: R-234'
);
reset role;

select * from finish();
rollback;
