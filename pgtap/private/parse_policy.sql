begin;
select plan(6);

select is(tenure_private.parse_policy('[]'), '[]', 'None');
select is(
    tenure_private.parse_policy('[{"timeout": 2}, {"retry": {"attempts": 1, "backoff": {}}}, {"timeout": "1 s"}]'),
    '[{"timeout": 2.000000}, {"retry": {"attempts": 1, "backoff": {}}}, {"timeout": 1.000000}]', 'In their order: R-480'
);
select
    throws_ok(
        format('select tenure_private.parse_policy(%L)', p.given),
        'TN007',
        null,
        format('%s is refused: R-480', p.given)
    )
from (values ('{}'), ('null'), ('"x"'), ('[{"timeout": 1}, 3]')) as p (given);

select * from finish();
rollback;
