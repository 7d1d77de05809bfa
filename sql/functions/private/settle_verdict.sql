create or replace function tenure_private.settle_verdict(
    p_step_id bigint, p_owner text, p_generation bigint, p_output jsonb, p_ask tenure_private.ask
)
returns text
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
    v_verdict text;
begin
    perform tenure_private.check_pairs(array[p_step_id], p_owner, array[p_generation]);
    select v.verdict into strict v_verdict
    from tenure_private.settle(array[p_step_id], p_owner, array[p_generation], array[p_output], p_ask) as v;
    return v_verdict;
end
$function$;
comment on function tenure_private.settle_verdict(bigint, text, bigint, jsonb, tenure_private.ask) is
'settle() for one step: its verdict.';
revoke all on function tenure_private.settle_verdict(bigint, text, bigint, jsonb, tenure_private.ask) from public;
