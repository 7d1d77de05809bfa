create or replace function tenure_private.take_keys(p_items jsonb, p_new_ids bigint[], p_now timestamptz)
returns bigint[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_ids bigint [] := p_new_ids;
    r_item record;
begin
    for r_item in
        select i.n, i.item ->> 'name' as name, i.item ->> 'idempotency_key' as key
        from jsonb_array_elements(p_items) with ordinality as i (item, n)
        where i.item ->> 'idempotency_key' is not null
        order by i.item ->> 'name' collate "C", i.item ->> 'idempotency_key' collate "C", i.n
    loop
        perform tenure_private.check_name(r_item.name, 'name');
        perform tenure_private.check_name(r_item.key, 'idempotency_key');
        v_ids[r_item.n] := tenure_private.take_key('step', r_item.name, r_item.key, p_new_ids[r_item.n], p_now);
    end loop;
    return v_ids;
end
$function$;
comment on function tenure_private.take_keys(jsonb, bigint[], timestamptz) is
'Which step each element of an enqueue_many stands for: its own new one, or the one that has its key.';
revoke all on function tenure_private.take_keys(jsonb, bigint[], timestamptz) from public;
