-- One at a time: two at once would fail on each other's catalogue rows. The second waits here, where it holds nothing.
set local lock_timeout = '5s';
do $turn$
declare
    v_key constant bigint = hashtextextended('tenure.install', 0);
    v_holder text;
begin
    perform pg_advisory_xact_lock(v_key);
exception
    when lock_not_available then
        -- Any login can take it, and keep it.
        select string_agg(
            format(
                'pid %s (%s, %s)',
                a.pid, a.usename, coalesce(nullif(a.application_name, ''), 'no application name')
            ),
            '; '
        )
        into strict v_holder
        from pg_locks as l
        join pg_database as d on d.oid = l.database
        join pg_stat_activity as a on a.pid = l.pid
        where l.locktype = 'advisory' and l.granted and d.datname = current_database()
            and l.objsubid = 1 and ((l.classid::bigint << 32) | l.objid::bigint) = v_key;
        raise exception using
            errcode = 'lock_not_available',
            message = 'somebody else holds the lock that Tenure is installed, upgraded and removed under',
            detail = coalesce(v_holder, 'Nobody holds it any more.'),
            hint = 'Let them end, or end them, and run it again.';
end
$turn$;
