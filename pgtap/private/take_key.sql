begin;
select plan(10);
set local time zone 'UTC';

create function taken(p_kind text, p_name text, p_key text, p_step_id bigint, p_now text default '00:00:00')
returns bigint
language sql
as $$
select tenure_private.take_key(p_kind, p_name, p_key, p_step_id, ('2030-01-01 ' || p_now || '+00')::timestamptz)
$$;

select is(taken('step', 'a', 'k', 1), 1::bigint, 'Who comes first, has it');
select is(taken('step', 'a', 'k', 2), 1::bigint, 'And keeps it: R-127');
select is(taken('step', 'b', 'k', 3), 3::bigint, 'Another name''s is another: R-128');
select is(taken('workflow', 'a', 'k', 4), 4::bigint, 'So is a workflow''s: R-128');
select is(taken('step', 'a', 'K', 5), 5::bigint, 'And another key');
update tenure_private.idempotency as i set expires_at = '2030-01-01 01:00:00+00' where i.step_id = 1;
select is(taken('step', 'a', 'k', 6, '00:59:59.999999'), 1::bigint, 'Until its period has passed: R-129');
select is(taken('step', 'a', 'k', 7, '01:00:00'), 7::bigint, 'Then it is free: R-014, R-129');
select is(taken('step', 'a', 'k', 8, '23:00:00'), 7::bigint, 'And the next holds it without a period');
select is((select count(*) from tenure_private.idempotency), 4::bigint, 'One row a key');
select is(
    (select array_agg(i.step_id order by i.step_id) from tenure_private.idempotency as i), '{3,4,5,7}',
    'And no other key changed hands: R-128'
);

select * from finish();
rollback;
