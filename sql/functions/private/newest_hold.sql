create or replace function tenure_private.newest_hold(p_quota_id int)
returns tenure_private.quota_hold
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_hold tenure_private.quota_hold;
begin
    select h.* into v_hold
    from tenure_private.quota_hold as h
    where h.quota_id = p_quota_id
    order by h.seq desc
    limit 1;
    return v_hold;
end
$function$;
comment on function tenure_private.newest_hold(int) is 'The row that counts for a quota; NULLs where nothing was ever claimed under it.';
revoke all on function tenure_private.newest_hold(int) from public;
