begin;
select plan(48);
\ir ../session.psql
\ir ../rights.psql

-- Claims.
create function claimed(p_role text, p_queues text)
returns text
language sql
as $$
select told(p_role, format('select c.step_id from tenure.claim(%L::text[], ''w'', 9) as c order by 1', p_queues))
$$;
create function closed(p_queue text default null)
returns text
language sql
as $$
select format(
    'TN018: the queue is not the caller''s to use: %s.: '
    'An operator can grant it: select tenure.grant_queue(queue, role).',
    coalesce('Queue ' || p_queue, 'The queue that it would go to')
)
$$;
select is(claimed('tenure_test_sms', '{mail}'), closed('mail'), 'Somebody else''s queue is refused: R-231');
select is(claimed('tenure_test_sms', '{sms,mail}'), closed('mail'), 'Beside one''s own, too: R-231');
select is(claimed('tenure_test_sms', '{default}'), closed('default'), 'Whoever has a grant has no other queue: R-230');
select is(claimed('tenure_test_free', '{mail}'), closed('mail'), 'A granted queue is closed to others: R-230');
select is(
    claimed('tenure_test_sms', '{nope}'),
    'TN003: there is no such queue: Queue nope.: Make it first: select tenure.create_queue(name).',
    'An unknown queue is unknown to all: R-231'
);
select is(
    (select count(*) from tenure.step_status as s where s.state = 'available'), 3::bigint,
    'None of these has claimed anything: R-231'
);
select is(claimed('tenure_test_free', '{default}'), '(3)', 'Without a grant there are the open queues: R-230');
select is(claimed('tenure_test_sms', '{sms}'), '(2)', 'With one there is one''s own: R-230');
select is(claimed('tenure_owner', '{mail}'), '(1)', 'The owner may use all: R-233');

-- Enqueue.
create function enqueued(p_role text, p_arguments text)
returns text
language sql
as $$ select told(p_role, format('select tenure.enqueue(%s) is not null', p_arguments)) $$;
select is(enqueued('tenure_test_sms', '''t'', queue => ''sms'''), '(t)', 'One enqueues into one''s own queue: R-230');
select is(enqueued('tenure_test_sms', '''t'', queue => ''mail'''), closed('mail'), 'Not into another''s: R-231');
select is(enqueued('tenure_test_sms', '''t'''), closed(), 'Nor into the default one, unsaid: R-231');
select is(
    enqueued('tenure_test_sms', '''t'', queue => ''mail'', idempotency_key => ''mail'''), closed('mail'),
    'A known key does not tell whose it is: R-231'
);
select is(enqueued('tenure_test_free', '''t'''), '(t)', 'Without a grant the open queues are open: R-230');
select is(
    told(
        'tenure_test_sms',
        $$select tenure.enqueue_many('[{"name": "t", "queue": "sms"}, {"name": "t", "queue": "mail"}]')$$
    ),
    closed('mail'), 'enqueue_many asks for each: R-231'
);
select is(
    (select string_agg(q.queue || ' ' || q.depth, ', ' order by q.queue) from tenure.queue_status as q),
    'default 1, mail 0, sms 1', 'Nothing that was refused is there: R-231'
);

-- Definitions: whoever could move a name would get what is enqueued under it.
create function defined(p_role text, p_arguments text)
returns text
language sql
as $$ select told(p_role, format('select tenure.define_step(%s)', p_arguments)) $$;
select is(defined('tenure_test_sms', '''new'', queue => ''mail'''), closed('mail'), 'Not for another''s queue: R-234');
select is(defined('tenure_test_sms', '''new'', queue => ''sms'''), '("")', 'For one''s own: R-234');
select is(defined('tenure_test_mail', '''new'''), closed(), 'A name of another''s queue stays there: R-234');
select is(
    defined('tenure_test_mail', '''new'', queue => ''mail'''), closed(), 'And cannot be taken from it: R-234'
);
select is(
    defined('tenure_test_sms', '''new'', timeout => ''9 s'', queue => ''sms'''), '("")', 'Its own changes it: R-234'
);
select is(defined('tenure_test_free', '''common'''), '("")', 'A name without a queue is for the default one: R-234');
select is(
    defined('tenure_test_sms', '''common'', timeout => ''9 s'''), closed(),
    'Whoever has not this one does not change it: R-234'
);
select is(defined('tenure_test_sms', '''fresh'''), closed(), 'Nor makes one for it: R-234');
select is(
    (select d.timeout from tenure_private.definition as d where d.name = 'common'), null, 'It is as it was: R-234'
);
select is_empty(
    $$select from tenure_private.definition as d where d.name = 'fresh'$$, 'And the other is not there: R-234'
);
select is(
    defined('tenure_test_sms', '''common'', queue => ''sms'''), closed(),
    'But not take it away from there: R-234'
);
select is(
    enqueued('tenure_test_mail', '''new'''), closed(), 'Enqueue follows the definition, and asks for it: R-231'
);

-- Hello, and what is nobody's in particular.
select is(
    told('tenure_test_sms', $$select tenure.worker_hello('w', '{mail}', true)$$), closed('mail'),
    'Nobody listens for another''s work: R-231'
);
select is(
    told('tenure_test_sms', $$select tenure.worker_hello('w', '{sms,mail}', false)$$), closed('mail'), 'R-231'
);
select alike(
    told('tenure_test_sms', $$select tenure.worker_hello('w', '{sms}', true)$$), '(tenure_%', 'One''s own: R-230'
);
select set_clock('1 day');
select alike(
    told('tenure_test_sms', 'select r.reclaimed from tenure.sweep() as r'), '(3)', 'All sweep for all: R-233'
);

-- By membership, at any depth, as the session acts: SET ROLE, else its login.
create role tenure_test_team nologin;
create role tenure_test_member login;
create role tenure_test_aloof login noinherit;
grant tenure_test_mail to tenure_test_team;
grant tenure_test_team to tenure_test_member, tenure_test_aloof;
grant tenure_worker to tenure_test_aloof;
select is(claimed('tenure_test_member', '{mail}'), '(1)', 'By way of other roles: R-235');
select is(claimed('tenure_test_member', '{default}'), closed('default'), 'With what that closes: R-235');
select is(
    claimed('tenure_test_aloof', '{mail}'), '42501: permission denied for schema tenure: : ',
    'Who inherits nothing has nothing: R-235'
);
set session authorization tenure_test_member;
select throws_ok(
    $$select tenure.claim('{sms}', 'w')$$, 'TN018', 'the queue is not the caller''s to use',
    'A login counts where no role was set: R-235'
);
set local role tenure_test_mail;
select lives_ok($$select tenure.claim('{mail}', 'w')$$, 'A role that was set counts: R-235');
reset session authorization;
grant tenure_worker to tenure_test_member;
grant tenure_client to tenure_test_member;
set session authorization tenure_test_member;
set local role tenure_worker;
select throws_ok(
    $$select tenure.claim('{default}', 'w')$$, 'TN018', 'the queue is not the caller''s to use',
    'By a role of all workers a login does not get out of its own queues: R-235'
);
set local role tenure_client;
select throws_ok(
    $$select tenure.status(3)$$, 'TN001', 'there is no such run', 'Nor sees what lies in others: R-235, R-232'
);
reset session authorization;
select set_clock('2 days');
select tenure.sweep();
create function wrapped(p_queue text)
returns bigint
language sql security definer
as $$ select count(*) from tenure.claim(array[p_queue], 'w') $$;
alter function wrapped(text) owner to tenure_test_mail;
select is(
    told('tenure_test_sms', $$select wrapped('mail')$$), closed('mail'),
    'In somebody''s SECURITY DEFINER function it is still who calls: R-235'
);

-- Grants come and go; a dropped role's stays, and keeps the queue closed.
select tenure.grant_queue('default', 'tenure_test_sms');
select is(claimed('tenure_test_sms', '{default}'), '(3) (5)', 'A second queue comes on top: R-230');
select is(claimed('tenure_test_free', '{default}'), closed('default'), 'And is closed: R-230');
select tenure.revoke_queue('default', 'tenure_test_sms');
create role tenure_test_gone nologin;
select tenure.grant_queue('default', 'tenure_test_gone');
drop role tenure_test_gone;
select is(claimed('tenure_test_free', '{default}'), closed('default'), 'A queue of a dropped role is nobody''s: R-236');
select is(
    (select g.role_exists from tenure.queue_grants as g where g.queue = 'default'), false, 'The view says it: R-236'
);
select tenure.revoke_queue('default', 'tenure_test_gone');
select set_clock('3 days');
select tenure.sweep();
select is(claimed('tenure_test_free', '{default}'), '(3) (5)', 'Once revoked it is open: R-236');
select tenure.revoke_queue('mail', 'tenure_test_mail');
select tenure.revoke_queue('sms', 'tenure_test_sms');
select is(claimed('tenure_test_sms', '{mail}'), '(1)', 'Without any grant all is open to all: R-230');
select is(enqueued('tenure_test_sms', '''t'''), '(t)', 'R-230');
select is_empty('select from tenure.queue_grants', 'The last grant is gone');

select * from finish();
rollback;
