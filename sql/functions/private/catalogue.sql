create or replace function tenure_private.catalogue()
returns setof tenure_private.fact
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
set quote_all_identifiers = off
set intervalstyle = postgres
set extra_float_digits = 1
as $function$
-- Facts rather than deparsed text, which differs between majors; where text it must be, it hangs on no setting of
-- the session. Owners appear by name, as do grantees. Rights that nobody has touched are those that are built in. What
-- nothing of Tenure's has, such as heirs of a table, is a fact only where it is there.
declare
    v_schemas constant oid [] = array['tenure'::regnamespace, 'tenure_private'::regnamespace]::oid [];
begin
    return query
    select f.object, f.aspect, f.fact from tenure_private.schema_facts(v_schemas) as f where f.fact is not null;
    return query
    select f.object, f.aspect, f.fact from tenure_private.function_facts(v_schemas) as f where f.fact is not null;
    return query
    select f.object, f.aspect, f.fact from tenure_private.relation_facts(v_schemas) as f where f.fact is not null;
    return query
    select f.object, f.aspect, f.fact from tenure_private.column_facts(v_schemas) as f where f.fact is not null;
    return query
    select f.object, f.aspect, f.fact from tenure_private.check_facts(v_schemas) as f where f.fact is not null;
    return query
    select f.object, f.aspect, f.fact from tenure_private.seed_facts() as f;
end
$function$;
comment on function tenure_private.catalogue() is 'What the system catalogues say of everything in the two schemas, and which rows of the install are there, one fact a row.';
revoke all on function tenure_private.catalogue() from public;
