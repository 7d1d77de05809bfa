create or replace function tenure_private.find_quota(p_name text)
returns tenure_private.quota
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_quota tenure_private.quota;
begin
    perform tenure_private.check_name(p_name, 'quota');
    select q.* into v_quota from tenure_private.quota as q where q.name = p_name;
    if v_quota.quota_id is null then
        perform tenure_private.refuse(
            'quota_unknown', 'there is no such quota', format('Quota %s.', p_name),
            'Make it first: select tenure.set_quota(name, capacity).'
        );
    end if;
    return v_quota;
end
$function$;
comment on function tenure_private.find_quota(text) is 'The quota of this name; refuses (TN015) an unknown one.';
revoke all on function tenure_private.find_quota(text) from public;
