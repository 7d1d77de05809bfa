begin;
select plan(2);
set local client_min_messages to error;

create function refuse_to_go()
returns trigger
language plpgsql
as $$
begin
    raise exception 'this one cannot be removed';
end
$$;
create trigger refuse_to_go before delete on tenure_private.waiter for each row execute function refuse_to_go();
insert into tenure_private.waiter (channel, queues, expires_at) values ('c', '{}', '2020-01-01');
select lives_ok(
    $$select tenure_private.do_chore('clear_away', tenure_private.clock())$$, 'An error is a warning: R-245'
);
drop trigger refuse_to_go on tenure_private.waiter;
select tenure_private.do_chore('clear_away', tenure_private.clock());
select is_empty('table tenure_private.waiter', 'Without one the chore is done: R-245');

select * from finish();
rollback;
