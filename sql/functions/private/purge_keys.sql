create or replace function tenure_private.purge_keys(p_step_ids bigint[], p_max_rows int)
returns int
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_count int;
begin
    delete from tenure_private.idempotency as d using (
        select i.kind, i.name, i.key
        from tenure_private.idempotency as i
        where i.step_id = any(p_step_ids)
        limit p_max_rows
    ) as g
    where d.kind = g.kind and d.name = g.name and d.key = g.key;
    get diagnostics v_count = row_count;
    return v_count;
end
$function$;
comment on function tenure_private.purge_keys(bigint[], int) is
'Removes at most p_max_rows idempotency keys of these steps, of which each has one at most; returns how many.';
revoke all on function tenure_private.purge_keys(bigint[], int) from public;
