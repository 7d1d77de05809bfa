begin;
select plan(14);

create function facts(p_object text)
returns text
language sql
as $$
select string_agg(format('%s: %s', c.aspect, c.fact), '; ' order by c.aspect)
from tenure_private.catalogue() as c
where c.object = p_object
$$;

select is(
    facts('function tenure.schema_version()'),
    format(
        'arguments: ; body: %s; comment: The installed release of Tenure, such as 0.1.0.; costs: 100, 0 rows; '
        'grants: %s; '
        'language: plpgsql; owner: tenure_owner; result: text; security: definer; settings: %s; '
        'volatility: s s',
        (select md5(p.prosrc) from pg_proc as p where p.oid = 'tenure.schema_version()'::regprocedure),
        'tenure_client=EXECUTE, tenure_operator=EXECUTE, tenure_owner=EXECUTE, tenure_reader=EXECUTE, '
        'tenure_worker=EXECUTE',
        (
            select array_to_string(p.proconfig, '; ')
            from pg_proc as p
            where p.oid = 'tenure.schema_version()'::regprocedure
        )
    ),
    'A function: R-160'
);
select is(
    facts('table tenure_private.setting'),
    'comment: Size limits in bytes. The owner may change them; under 8 kB nothing is looked up.; definition: ; '
    'grants: tenure_owner=DELETE, tenure_owner=INSERT, tenure_owner=REFERENCES, tenure_owner=SELECT, '
    'tenure_owner=TRIGGER, tenure_owner=TRUNCATE, tenure_owner=UPDATE; options: p; owner: tenure_owner; '
    'row security: false',
    'A table'
);
select is(facts('column tenure_private.setting.bytes'), 'grants: default; type: integer not null', 'A column');
select is(
    facts('constraint setting_bytes_check on tenure_private.setting'), 'definition: CHECK ((bytes >= 8192))',
    'A constraint'
);
select alike(
    facts('index tenure_private.waiter_expires_at_idx'),
    'definition: CREATE INDEX waiter_expires_at_idx ON tenure_private.waiter USING btree (expires_at); %', 'An index'
);
select alike(facts('sequence tenure_private.step_id_seq'), '%owner: tenure_owner%', 'A sequence');
select alike(
    facts('view tenure.run_status'), 'comment: Every run. %; definition: %; grants: %tenure_reader=SELECT%', 'A view'
);
select is(facts('column tenure.verdict.verdict'), 'grants: default; type: text', 'An attribute of a type');
select alike(
    facts('schema tenure_private'), 'comment: %; grants: tenure_owner=CREATE, tenure_owner=USAGE; owner: tenure_owner',
    'A schema'
);
select is_empty(
    'select from tenure_private.catalogue() as c group by c.object, c.aspect having count(*) > 1', 'Each fact once'
);
select is_empty(
    $$ select c.object from tenure_private.catalogue() as c
       where (c.object like 'trigger%' and c.object !~ '_replace_seed on ') or c.object like 'rule%' $$,
    'Tenure has no triggers of its own but those for restores, and no rules'
);
select is_empty(
    $$ select from tenure_private.catalogue() as c
       where c.object not like '% tenure%' and c.object !~ 'on tenure(_private)?[.]' $$,
    'And nothing that is not in its schemas'
);
select is(
    facts('column tenure_private.setting.name'), 'grants: default; type: text collate "C" not null',
    'A column without a default'
);
select is(
    facts('column tenure_private.installation.singleton'), 'grants: default; type: boolean not null true',
    'And one with it'
);

select * from finish();
rollback;
