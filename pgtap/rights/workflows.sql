begin;
select plan(17);
\ir ../session.psql
\ir ../rights.psql

-- NULL: a queue that the caller has not named is not named to it.
create function closed(p_queue text)
returns text
language sql
as $$
select format(
    'TN018: the queue is not the caller''s to use: %s.: '
    'An operator can grant it: select tenure.grant_queue(queue, role).',
    coalesce('Queue ' || p_queue, 'The queue that it would go to')
)
$$;
create function defined(p_role text, p_name text, p_nodes text)
returns text
language sql
as $$ select told(p_role, format('select tenure.define_workflow(%L, ''{"nodes": %s}'')', p_name, p_nodes)) $$;
create function started(p_role text, p_name text, p_queue text default null)
returns text
language sql
as $$ select told(p_role, format('select tenure.start(%L, queue => %L) is not null', p_name, p_queue)) $$;

-- Definitions.
select is(
    defined('tenure_test_sms', 'w', '[{"name": "a", "queue": "mail"}]'),
    closed('mail'),
    'No node in another''s queue: R-409'
);
select is(defined('tenure_test_sms', 'own', '[{"name": "a", "queue": "sms"}]'), '(1)', 'One in one''s own: R-409');
select is(defined('tenure_test_free', 'free', '[{"name": "a"}]'), '(1)', 'One that says none: R-409');
select is(defined('tenure_owner', 'mail', '[{"name": "a", "queue": "mail"}]'), '(1)', 'The owner may say any: R-233');
select is(
    defined(
        'tenure_owner',
        'mounts',
        '[{"name": "m", "workflow": "mail"}, {"name": "n", "map": "k", "workflow": "own"}]'
    ),
    '(1)',
    'or mount what lies anywhere'
);

-- Runs: where each step would go.
select is(started('tenure_test_sms', 'own', 'sms'), '(t)', 'A run in one''s own queue: R-409');
select is(started('tenure_test_sms', 'own'), closed('default'), 'A run lies in a queue itself: R-409');
select is(started('tenure_test_sms', 'free', 'sms'), '(t)', 'Steps that say none lie where it does: R-409');
select is(started('tenure_test_sms', 'mail', 'sms'), closed(null), 'A node in another''s queue: R-409');
select is(started('tenure_test_sms', 'mounts', 'sms'), closed(null), 'and one of a mounted workflow: R-409');
select is(started('tenure_test_free', 'mounts'), closed(null), 'a granted one, to whoever has no grant: R-409');
select is(started('tenure_owner', 'mounts'), '(t)', 'The owner starts any: R-233');
select tenure.define_step('a', queue => 'mail');
select is(
    started('tenure_test_sms', 'free', 'sms'),
    closed(null),
    'A definition says where a step goes, too: R-409'
);
select is(
    (select string_agg(distinct s.queue, ' ' order by s.queue) from tenure.step_status as s where s.name = 'free'),
    'sms',
    'What was refused is not there: R-409'
);

-- Children.
create function child_of(p_role text, p_arguments text)
returns text
language sql
as $$
select told(p_role, format('select tenure.start_child(2, ''w'', 1, %s) is not null', p_arguments))
$$;
select told('tenure_test_sms', 'select tenure.claim(array[''sms''], ''w'', 1, names => array[''t''])');
select is(child_of('tenure_test_sms', '''b'', queue => ''sms'''), '(t)', 'A child in one''s own queue: R-409');
select is(child_of('tenure_test_sms', '''b'', queue => ''mail'''), closed('mail'), 'None in another''s: R-409');
select is(child_of('tenure_test_sms', '''b'''), closed(null), 'Nor in the default one, unsaid: R-409');
select * from finish();
rollback;
