-- pg_dump writes what a table of an extension holds only where it is told to. Which release this is, and what it
-- shipped, says the script that "create extension" runs at the restore.
do $dumped$
declare
    r_relation record;
begin
    for r_relation in
        select c.oid, c.relkind, c.relname
        from pg_catalog.pg_class as c
        where c.relnamespace = 'tenure_private'::pg_catalog.regnamespace and c.relkind in ('r', 'S')
    loop
        perform pg_catalog.pg_extension_config_dump(
            r_relation.oid,
            case when r_relation.relname in ('installation', 'shipped') then 'where false' else '' end
        );
    end loop;
end
$dumped$;
