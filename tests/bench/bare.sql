-- The yardstick: what PostgreSQL itself charges for a step's way through one wide table.
-- It is the hot path alone. There are no checks, limits, priorities, waits or roles, one queue is all there is, and
-- its head is naive: a transaction that commits late loses its steps. What the engine costs beyond this, its rules cost.
create schema bare;

create table bare.mark (
    track int constraint mark_pkey primary key,
    head timestamptz not null
);
insert into bare.mark (track, head) values (1, '-infinity');

create table bare.step (
    step_id bigint generated always as identity constraint step_pkey primary key,
    root_id bigint,
    parent_id bigint,
    track int not null,
    name text not null,
    state text not null,
    scheduled_at timestamptz not null,
    created_at timestamptz not null,
    alarm_at timestamptz,
    attempt int not null default 1,
    max_attempts int not null default 5,
    timeout interval,
    deadline interval,
    owner text,
    expiry timestamptz,
    generation bigint not null default 0,
    ttl interval,
    heartbeat_at timestamptz,
    started_at timestamptz,
    finished_at timestamptz,
    reclaims int not null default 0,
    releases int not null default 0,
    policy jsonb,
    backoff jsonb,
    input jsonb,
    output jsonb,
    error jsonb,
    error_kind text,
    progress jsonb,
    headers jsonb
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
create index step_parent_id_idx on bare.step (parent_id) where parent_id is not null;
create index step_track_idx on bare.step (track, name, scheduled_at, step_id) where state = 'available';
create index step_alarm_at_idx on bare.step (alarm_at) where alarm_at is not null;

create function bare.enqueue(p_steps jsonb) returns void
language plpgsql
as $function$
declare
    v_now constant timestamptz = clock_timestamp();
begin
    insert into bare.step (track, name, state, scheduled_at, created_at, input)
    select 1, s.name, 'available', v_now, v_now, s.input
    from jsonb_to_recordset(p_steps) as s (name text, input jsonb);
end
$function$;

create function bare.claim(p_names text [], p_owner text, p_room int, p_ttl interval) returns setof bare.step
language plpgsql
as $function$
declare
    v_now constant timestamptz = clock_timestamp();
    v_head timestamptz;
begin
    select m.head into strict v_head from bare.mark as m where m.track = 1;
    return query
    with due as materialized (
        select f.step_id
        from unnest(p_names) as n (name)
        cross join lateral (
            select s.step_id, s.scheduled_at
            from bare.step as s
            where s.track = 1 and s.name = n.name and s.state = 'available'
                and s.scheduled_at between v_head and v_now
            order by s.scheduled_at, s.step_id
            limit p_room
            for no key update skip locked
        ) as f
        order by f.scheduled_at, f.step_id
        limit p_room
    )
    update bare.step as s
    set state = 'running',
        owner = p_owner,
        ttl = p_ttl,
        expiry = v_now + p_ttl,
        alarm_at = v_now + p_ttl,
        generation = s.generation + 1,
        started_at = v_now,
        heartbeat_at = v_now
    from due as d
    where s.step_id = d.step_id
    returning s.*;
end
$function$;

create function bare.complete(p_step_ids bigint [], p_generations bigint [], p_owner text) returns bigint
language plpgsql
as $function$
declare
    v_now constant timestamptz = clock_timestamp();
    v_count bigint;
begin
    update bare.step as s
    set state = 'completed',
        finished_at = v_now,
        owner = null,
        expiry = null,
        alarm_at = null,
        output = '{"ok": 1}'
    from unnest(p_step_ids, p_generations) as u (step_id, generation)
    where s.step_id = u.step_id and s.generation = u.generation and s.state = 'running' and s.owner = p_owner
        and (s.timeout is null or s.started_at + s.timeout > v_now);
    get diagnostics v_count = row_count;
    return v_count;
end
$function$;

create function bare.raise_head(p_to timestamptz) returns void
language sql
as $function$
update bare.mark as m set head = p_to where m.track = 1 and m.head < p_to;
$function$;
