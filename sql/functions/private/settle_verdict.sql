create or replace function tenure_private.settle_verdict(
    p_step_id bigint, p_owner text, p_generation bigint, p_output jsonb, p_ask tenure_private.ask
)
returns text
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    perform tenure_private.check_name(p_owner, 'owner');
    if p_step_id is null or p_generation is null then
        perform tenure_private.refuse(
            'argument_invalid', 'step_id and generation must not be null', null, 'Pass both as claim returned them.'
        );
    end if;
    return (tenure_private.settle(array[p_step_id], p_owner, array[p_generation], array[p_output], p_ask))[1].verdict;
end
$function$;
comment on function tenure_private.settle_verdict(bigint, text, bigint, jsonb, tenure_private.ask) is
'settle() for one step: its verdict.';
revoke all on function tenure_private.settle_verdict(bigint, text, bigint, jsonb, tenure_private.ask) from public;
