create or replace function tenure_private.relation_kind(p_relkind "char")
returns text
language sql immutable parallel safe
as $function$
select case p_relkind
    when 'r' then 'table' when 'v' then 'view' when 'i' then 'index' when 'S' then 'sequence' else 'relation'
end;
$function$;
comment on function tenure_private.relation_kind("char") is 'A word for a kind of relation.';
revoke all on function tenure_private.relation_kind("char") from public;
