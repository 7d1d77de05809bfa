-- Under deadlock_timeout's one second: where the upgrade and a worker wait for each other it is the upgrade that gives
-- way, and whoever queues behind a lock that it waits for waits no longer than this.
set local lock_timeout = '500ms';
do $upgrade$
declare
    v_found text;
begin
    if exists (select from pg_namespace as n where n.nspname = 'tenure_private') then
        select i.version into v_found from tenure_private.installation as i;
    end if;
    if v_found is distinct from '@FROM@' then
        raise exception using
            errcode = 'TN021',
            message = 'this script upgrades Tenure @FROM@, and the database holds another version or none',
            detail = format('Found: %s.', coalesce(v_found, 'none')),
            hint = 'Run the scripts one after the other, each from the version that is there.';
    end if;
    if exists (select from pg_extension as e where e.extname = 'tenure')
        and current_setting('tenure.form', true) is distinct from 'extension'
    then
        raise exception using
            errcode = 'TN022',
            message = 'here Tenure is an extension, and only as one can it be upgraded',
            detail = 'What a script adds would not belong to the extension, and pg_dump would lose it.',
            hint = 'Install its files, then: alter extension tenure update.';
    end if;
end
$upgrade$;
set local role tenure_owner;

do $before$
declare
    r_view record;
begin
    -- Every lock that somebody who only looks can hold for long is taken before any that a claim waits for. A view
    -- has no other lock than by a change, and this one changes nothing.
    for r_view in
        select c.oid::regclass as name
        from pg_class as c
        where c.relnamespace in ('tenure'::regnamespace, 'tenure_private'::regnamespace) and c.relkind = 'v'
        order by c.oid
    loop
        -- execute: a view's name cannot be a parameter.
        execute format('alter view %s reset (security_barrier)', r_view.name);
    end loop;
    lock table tenure_private.setting, tenure_private.queue, tenure_private.high_clock in share row exclusive mode;
    -- What is amiss now, so that seal.sql does not take it for shipped.
    perform set_config('tenure.amiss', coalesce(jsonb_agg(d), '[]')::text, true) from tenure.verify_schema() as d;
end
$before$;
