-- Removes the engine from this database with all that it holds. The five roles belong to the whole cluster and stay:
-- once no database has the engine, drop role tenure_owner, tenure_client, tenure_worker, tenure_operator,
-- tenure_reader.
-- It refuses while steps are unfinished or something of others depends on the engine, unless the session has said
--   set tenure.uninstall = 'force';
-- Locks: everything, exclusively, for a moment.
-- Time: about a second.
do $uninstall$
declare
    v_told constant text = current_setting('client_min_messages');
    v_schemas oid [];
    v_reason text;
    v_detail text;
begin
    select array_agg(n.oid) into strict v_schemas
    from pg_namespace as n
    where n.nspname in ('tenure', 'tenure_private');
    if cardinality(v_schemas) is distinct from 2 then
        raise exception using
            errcode = 'TN021',
            message = 'Tenure is not installed in this database',
            detail = 'The schemas "tenure" and "tenure_private" are not both there.',
            hint = 'Connect to the database that has it.';
    elsif exists (select from pg_extension as e where e.extname = 'tenure') then
        raise exception using
            errcode = 'TN022',
            message = 'here Tenure is an extension, and goes as one',
            detail = 'Its objects belong to the extension "tenure".',
            hint = 'drop extension tenure, which does not ask for unfinished steps.';
    end if;
    set local role tenure_owner;
    -- From here on nobody enqueues, so that what is counted is what goes.
    lock table tenure_private.step in access exclusive mode;
    select
        case when sum(s.count) > 0 then 'there are unfinished steps' end,
        string_agg(format('%s %s', s.count, s.state), ', ' order by s.state)
    into strict v_reason, v_detail
    from (
        select u.state, count(*) as count from tenure_private.step as u where u.finished_at is null group by u.state
    ) as s;
    if v_reason is null then
        with ours (classid, objid) as (
            select 'pg_namespace'::regclass::oid, n.id from unnest(v_schemas) as n (id)
            union all
            select 'pg_class'::regclass, c.oid from pg_class as c
            where c.relnamespace = any(v_schemas) and c.relowner = 'tenure_owner'::regrole
            union all
            select 'pg_proc'::regclass, p.oid from pg_proc as p
            where p.pronamespace = any(v_schemas) and p.proowner = 'tenure_owner'::regrole
            union all
            select 'pg_type'::regclass, t.oid from pg_type as t
            where t.typnamespace = any(v_schemas) and t.typowner = 'tenure_owner'::regrole
            union all
            select 'pg_constraint'::regclass, k.oid from pg_constraint as k where k.connamespace = any(v_schemas)
            union all
            select 'pg_rewrite'::regclass, r.oid from pg_rewrite as r join pg_class as c on c.oid = r.ev_class
            where c.relnamespace = any(v_schemas)
            union all
            select 'pg_trigger'::regclass, g.oid from pg_trigger as g join pg_class as c on c.oid = g.tgrelid
            where c.relnamespace = any(v_schemas)
            union all
            select 'pg_attrdef'::regclass, d.oid from pg_attrdef as d join pg_class as c on c.oid = d.adrelid
            where c.relnamespace = any(v_schemas)
        )
        select
            case when count(*) > 0 then 'something of others depends on Tenure' end,
            string_agg(distinct pg_describe_object(d.classid, d.objid, d.objsubid), ', ')
        into strict v_reason, v_detail
        from pg_depend as d
        join ours as o on o.classid = d.refclassid and o.objid = d.refobjid
        -- Internal: a part of what it depends on.
        where d.deptype <> 'i' and not exists (select from ours as u where u.classid = d.classid and u.objid = d.objid);
    end if;
    if v_reason is not null and current_setting('tenure.uninstall', true) is distinct from 'force' then
        raise exception using
            errcode = 'TN024',
            message = v_reason,
            detail = format('%s.', v_detail),
            hint = 'Have them end, or go; or, to lose them with all else: set tenure.uninstall = ''force''.';
    end if;
    -- Without the list of what goes.
    perform set_config('client_min_messages', 'warning', true);
    drop schema tenure, tenure_private cascade;
    perform set_config('client_min_messages', v_told, true);
end
$uninstall$;
