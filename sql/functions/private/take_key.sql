create or replace function tenure_private.take_key(
    p_kind text, p_name text, p_key text, p_step_id bigint, p_now timestamptz
)
returns bigint
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- The insert waits for a racing one to commit or roll back: only a committed row is proof that the job exists.
declare
    v_found tenure_private.idempotency;
begin
    loop
        select i.* into v_found
        from tenure_private.idempotency as i
        where i.kind = p_kind and i.name = p_name and i.key = p_key;
        if v_found.step_id is null then
            insert into tenure_private.idempotency (kind, name, key, step_id)
            values (p_kind, p_name, p_key, p_step_id)
            on conflict on constraint idempotency_pkey do nothing;
            exit when found;
        elsif v_found.expires_at is null or v_found.expires_at > p_now then
            return v_found.step_id;
        else
            update tenure_private.idempotency as i set step_id = p_step_id, expires_at = null
            where i.kind = p_kind and i.name = p_name and i.key = p_key and i.step_id = v_found.step_id;
            exit when found;
        end if;
    end loop;
    return p_step_id;
end
$function$;
comment on function tenure_private.take_key(text, text, text, bigint, timestamptz) is
'Gives an idempotency key to a new step, or answers which one has it. kind: step, workflow or, of a child that a step starts, whose it is.';
revoke all on function tenure_private.take_key(text, text, text, bigint, timestamptz) from public;
