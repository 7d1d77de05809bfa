create or replace function tenure_private.seed_facts()
returns setof tenure_private.fact
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- That they are there, and not what they hold, which may be changed.
begin
    return query
    select format('row %s', r.name), 'presence', 'there'
    from (
        select format('%s of tenure_private.setting', s.name) from tenure_private.setting as s
        union all select 'default of tenure_private.queue' from tenure_private.queue as q where q.name = 'default'
        union all select 'of tenure_private.high_clock' from tenure_private.high_clock
        union all select 'of tenure_private.installation' from tenure_private.installation
    ) as r (name);
end
$function$;
comment on function tenure_private.seed_facts() is 'The part of catalogue() about the rows that the install makes, without which the engine does not work.';
revoke all on function tenure_private.seed_facts() from public;
