-- Fails when anything is not as it was installed.
begin;
do $verify$
declare
    v_differences text;
begin
    select pg_catalog.string_agg(
        pg_catalog.format(
            '%s, %s: expected %s, found %s',
            d.object, d.aspect, coalesce(d.expected, 'nothing'), coalesce(d.found, 'nothing')
        ), '; '
    ) into strict v_differences
    from tenure.verify_schema() as d;
    if v_differences is not null then
        raise exception using
            errcode = 'TN021',
            message = 'the schema is not as it was installed',
            detail = v_differences,
            hint = 'See select * from tenure.verify_schema().';
    end if;
end
$verify$;
rollback;
