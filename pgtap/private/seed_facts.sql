begin;
select plan(2);

select set_eq(
    'select f.object, f.aspect, f.fact from tenure_private.seed_facts() as f',
    $$values
    ('row headers of tenure_private.setting', 'presence', 'there'),
    ('row input of tenure_private.setting', 'presence', 'there'),
    ('row output of tenure_private.setting', 'presence', 'there'),
    ('row payload of tenure_private.setting', 'presence', 'there'),
    ('row report of tenure_private.setting', 'presence', 'there'),
    ('row default of tenure_private.queue', 'presence', 'there'),
    ('row of tenure_private.high_clock', 'presence', 'there'),
    ('row of tenure_private.installation', 'presence', 'there')$$,
    'The rows that the install makes: R-237'
);
select tenure.create_queue('other');
update tenure_private.setting set bytes = 8192;
select tenure.alter_queue('default', retention => '1 s');
select is((select count(*) from tenure_private.seed_facts()), 8::bigint, 'Whatever they hold: R-237');

select * from finish();
rollback;
