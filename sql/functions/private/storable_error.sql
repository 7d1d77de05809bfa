create or replace function tenure_private.storable_error(p_error jsonb)
returns jsonb
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
as $function$
-- 64 kB in all. The end of a traceback says more than its beginning; a message is read from its start.
declare
    v_type constant text = p_error ->> 'type';
    v_message constant text = coalesce(p_error ->> 'message', p_error #>> '{}');
    v_traceback constant text = p_error ->> 'traceback';
    v_share constant int = case when octet_length(p_error::text) > length(p_error::text) then 7000 else 28000 end;
begin
    if p_error is null then
        return jsonb_build_object('type', 'Error', 'message', 'no error was given');
    elsif tenure_private.document_size(p_error) <= 65536 then
        return p_error;
    end if;
    return jsonb_strip_nulls(jsonb_build_object(
        'type', left(v_type, 1000), 'message', left(v_message, v_share), 'traceback', right(v_traceback, v_share),
        'cut', true
    ));
end
$function$;
comment on function tenure_private.storable_error(jsonb) is
'An error document of at most 64 kB: a larger one is cut to type, message and traceback and says "cut": true. Never refuses.';
revoke all on function tenure_private.storable_error(jsonb) from public;
