-- Rights that the database gives away by default would come on top of those that the files below grant. What is
-- PUBLIC's without any default privileges is taken from it there.
do $check$
declare
    v_found text;
begin
    select string_agg(
        format('%s to %s', a.privilege_type, case a.grantee when 0 then 'PUBLIC' else a.grantee::regrole::text end),
        ', '
    )
    into strict v_found
    from pg_default_acl as d
    cross join lateral aclexplode(d.defaclacl) as a
    where d.defaclrole = 'tenure_owner'::regrole
        and a.grantee <> d.defaclrole
        and not (a.grantee = 0 and (d.defaclobjtype, a.privilege_type) in (('f', 'EXECUTE'), ('T', 'USAGE')));
    if v_found is not null then
        raise exception using
            errcode = 'TN022',
            message = 'default privileges of tenure_owner would give away rights on what is made here',
            detail = format('They grant %s.', v_found),
            hint =
                'Take them back: alter default privileges for role tenure_owner revoke ... (psql shows them by \ddp).';
    end if;
end
$check$;
