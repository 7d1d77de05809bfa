begin;
select plan(8);
set local time zone 'UTC';

create function noted(p_track_id int, p_scheduled_at text)
returns text
language plpgsql
as $$
-- What stands in behind after a step became available then.
begin
    perform tenure_private.note_behind(p_track_id, ('2030-01-01 ' || p_scheduled_at || '+00')::timestamptz);
    return (
        select string_agg(to_char(b.scheduled_at, 'HH24:MI:SS'), ', ' order by b.scheduled_at)
        from tenure_private.behind as b
        where b.track_id = p_track_id
    );
end
$$;

select is(noted(1000000, '00:00:01'), null, 'Where there is no head, nothing lies behind it');
insert into tenure_private.head (track_id, head) values (1000000, '2030-01-01 00:01:00+00');
select is(noted(1000000, '00:01:00'), null, 'At the head is not behind it');
select is(noted(1000000, '00:01:01'), null, 'Nor is after it');
select is(noted(1000000, '00:00:59'), '00:00:59', 'Before it is, and is noted: R-039');
select is(noted(1000000, '00:00:59'), '00:00:59', 'Once is enough');
select is(noted(1000000, '00:00:59.5'), '00:00:59', 'An earlier note covers a later one');
select is(noted(1000000, '00:00:30'), '00:00:30, 00:00:59', 'An earlier step is noted beside it: R-039');
select is(noted(1000001, '00:00:30'), null, 'Each track for itself');

select * from finish();
rollback;
