create or replace function tenure.verify_schema()
returns setof tenure.difference
language plpgsql stable parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $function$
begin
    return query
    select coalesce(s.object, c.object), coalesce(s.aspect, c.aspect), s.fact, c.fact
    from tenure_private.shipped as s
    full join tenure_private.catalogue() as c on c.object = s.object and c.aspect = s.aspect
    where s.fact is distinct from c.fact
    order by 1, 2;
end
$function$;
comment on function tenure.verify_schema() is
'One row for each way in which the schema is not as it was installed: a changed body, a lost pin, an extra grant, a missing index, a foreign trigger; none when it is clean.';
revoke all on function tenure.verify_schema() from public;
grant execute on function tenure.verify_schema() to tenure_operator;
