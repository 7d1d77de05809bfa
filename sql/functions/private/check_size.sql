create or replace function tenure_private.check_size(p_what text, p_bytes int)
returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
-- No setting may be under 8 kB, so that nothing is looked up for the many small documents.
declare
    v_limit int;
begin
    if p_bytes <= 8192 then
        return;
    end if;
    select s.bytes into strict v_limit
    from tenure_private.setting as s
    where s.name = case p_what when 'definition' then 'input' else p_what end;
    if p_bytes > v_limit then
        perform tenure_private.refuse(
            'too_large', format('%s is too large', p_what),
            format('It takes %s bytes; the limit is %s.', p_bytes, v_limit),
            'Store the data elsewhere and pass a reference to it.'
        );
    end if;
end
$function$;
comment on function tenure_private.check_size(text, int) is
'Refuses (TN008) a document that takes more bytes, as jsonb, than the setting of this name allows; a definition of a workflow may be as large as an input.';
revoke all on function tenure_private.check_size(text, int) from public;
