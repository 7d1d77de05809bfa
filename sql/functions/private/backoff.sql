create or replace function tenure_private.backoff(p_backoff jsonb, p_attempt int, p_random double precision)
returns interval
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $function$
-- The exponent is clamped before power() is called: power() overflows although its result would be capped.
declare
    v_kind constant text = coalesce(p_backoff ->> 'kind', 'exponential');
    v_base constant double precision = coalesce((p_backoff ->> 'base')::double precision, 1);
    v_factor constant double precision = coalesce((p_backoff ->> 'factor')::double precision, 2);
    v_cap constant double precision = coalesce((p_backoff ->> 'cap')::double precision, 3600);
    v_jitter constant double precision = coalesce((p_backoff ->> 'jitter')::double precision, 0.2);
    v_step constant double precision = greatest(p_attempt, 1) - 1;
    v_delay double precision;
begin
    if v_base = 0 then
        return interval '0';
    elsif v_kind = 'fixed' then
        v_delay := v_base;
    elsif v_kind = 'linear' then
        v_delay := v_base * (v_step + 1);
    elsif v_factor = 1 or v_base >= v_cap then
        v_delay := v_base;
    else
        v_delay := v_base * power(v_factor, least(v_step, ln(v_cap / v_base) / ln(v_factor) + 1));
    end if;
    v_delay := least(v_delay, v_cap) * (1 + v_jitter * (2 * p_random - 1));
    return least(greatest(v_delay, 0), v_cap) * interval '1 second';
end
$function$;
comment on function tenure_private.backoff(jsonb, int, double precision) is
'The delay after a failed attempt (the first is 1). p_random in [0, 1) places it within ± jitter; never negative, never above cap, for any attempt.';
revoke all on function tenure_private.backoff(jsonb, int, double precision) from public;
