create or replace function tenure_private.drop_waiter(p_owner text)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    delete from tenure_private.waiter as d
    where d.waiter_id in (
        select l.waiter_id
        from tenure_private.waiter as l
        where l.waiter_id = (select w.waiter_id from tenure_private.worker as w where w.owner = p_owner)
        for update skip locked
    );
end
$function$;
comment on function tenure_private.drop_waiter(text) is 'Takes back a worker''s request for a notification, unless it is being answered just now.';
revoke all on function tenure_private.drop_waiter(text) from public;
