create or replace function tenure_private.document_size(p_document jsonb)
returns int
language sql stable parallel safe
as $function$
-- Unpinned and plain, so that the planner inlines it. A value that comes from a table may still be compressed, and
-- pg_column_size() would tell that size: taken out of an array it is not.
select case
    when pg_catalog.pg_column_compression(p_document) is null then pg_catalog.pg_column_size(p_document)
    else pg_catalog.pg_column_size(pg_catalog.jsonb_array_element(pg_catalog.jsonb_build_array(p_document), 0))
end;
$function$;
comment on function tenure_private.document_size(jsonb) is 'The bytes that a document takes as jsonb, wherever it comes from; NULL for NULL.';
revoke all on function tenure_private.document_size(jsonb) from public;
