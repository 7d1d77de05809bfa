begin;
select plan(7);

select is(tenure_private.has_details(1), false, 'A bare run has none');
create function detailed(p_insert text)
returns boolean
language plpgsql
as $$
declare
    v_has boolean;
begin
    execute p_insert;
    v_has := tenure_private.has_details(1) and not tenure_private.has_details(2);
    raise exception sqlstate 'UNDO0';
exception when sqlstate 'UNDO0' then
    return v_has;
end
$$;
select
    is(
        detailed('insert into tenure_private.' || d.details),
        true,
        format('A row in %s is one', split_part(d.details, ' ', 1))
    )
from (
    values
    ('attempt (step_id, generation, attempt, ended_at, kind) values (1, 1, 1, now(), ''timeout'')'),
    ('wait (step_id, key, kind, created_at) values (1, ''k'', ''sleep'', now())'),
    ('signal (run_id, signal, created_at) values (1, ''s'', now())'),
    ('checkpoint (step_id, key, value, created_at) values (1, ''k'', ''1'', now())'),
    ('idempotency (kind, name, key, step_id) values (''step'', ''n'', ''k'', 1)')
) as d (details);
select is(tenure_private.has_details(1), false, 'When it is gone, there is none');

select * from finish();
rollback;
