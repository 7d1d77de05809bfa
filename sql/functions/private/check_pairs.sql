create or replace function tenure_private.check_pairs(p_step_ids bigint[], p_owner text, p_generations bigint[])
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
    perform tenure_private.check_name(p_owner, 'owner');
    if p_step_ids is null or p_generations is null or cardinality(p_step_ids) <> cardinality(p_generations)
        or array_ndims(p_step_ids) > 1 or array_ndims(p_generations) > 1
        or array_position(p_step_ids, null) is not null or array_position(p_generations, null) is not null
    then
        perform tenure_private.refuse(
            'argument_invalid', 'step_ids and generations do not pair up',
            format('%s step_ids, %s generations.', cardinality(p_step_ids), cardinality(p_generations)),
            'Give two arrays of one length without nulls.'
        );
    end if;
end
$function$;
comment on function tenure_private.check_pairs(bigint[], text, bigint[]) is 'Refuses (TN007) a batch whose arrays do not pair up.';
revoke all on function tenure_private.check_pairs(bigint[], text, bigint[]) from public;
