begin;
select plan(6);

select is(tenure_private.relation_kind(k.relkind::"char"), k.name, format('%s is a %s', k.relkind, k.name))
from (
    values ('r', 'table'), ('v', 'view'), ('i', 'index'), ('S', 'sequence'), ('p', 'relation'), ('f', 'relation')
) as k (relkind, name);

select * from finish();
rollback;
