create or replace function tenure_private.step_name(p_track_id int)
returns text
language sql stable parallel safe
as $function$
select t.name from tenure_private.track as t where t.track_id = p_track_id;
$function$;
comment on function tenure_private.step_name(int) is 'The step name of a track.';
revoke all on function tenure_private.step_name(int) from public;
