create or replace function tenure_private.replace_seed()
returns trigger
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- Restoring a dump of the extension runs the install, which puts these rows there, and then brings those that were
-- dumped, with all that was changed about them. The later row counts.
declare
    v_row constant jsonb = to_jsonb(new);
begin
    case tg_table_name
        when 'queue' then delete from tenure_private.queue as q where q.queue_id = (v_row ->> 'queue_id')::int;
        when 'setting' then delete from tenure_private.setting as s where s.name = v_row ->> 'name';
        when 'high_clock' then delete from tenure_private.high_clock;
    end case;
    return new;
end
$function$;
comment on function tenure_private.replace_seed() is 'Lets a dump be restored over the rows that the install makes.';
revoke all on function tenure_private.replace_seed() from public;
