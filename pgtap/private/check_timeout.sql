begin;
select plan(11);

create function checked(p_floor interval, p_ceiling interval, p_timeout interval)
returns text
language plpgsql
as $$
declare
    v_queue tenure_private.queue;
begin
    v_queue.name := 'q';
    v_queue.timeout_floor := p_floor;
    v_queue.timeout_ceiling := p_ceiling;
    perform tenure_private.check_timeout(v_queue, p_timeout);
    return 'taken';
exception when sqlstate 'TN009' then
    return 'refused';
end
$$;

select
    is(
        checked(c.floor, c.ceiling, c.timeout), c.fate,
        format('%s between %s and %s is %s: R-023', coalesce(c.timeout::text, 'none'), c.floor, c.ceiling, c.fate)
    )
from (
    values
    (null::interval, null::interval, null::interval, 'taken'),
    (null, null, '0', 'taken'),
    (null, null, '876600 h', 'taken'),
    ('1 s', null, '1 s', 'taken'), ('1 s', null, '0.999999 s', 'refused'), ('1 s', null, '0', 'refused'),
    ('1 s', null, null, 'taken'), (null, '1 m', '1 m', 'taken'), (null, '1 m', '60.000001 s', 'refused'),
    (null, '1 m', null, 'taken'), ('1 s', '1 m', '30 s', 'taken')
) as c (floor, ceiling, timeout, fate);

select * from finish();
rollback;
