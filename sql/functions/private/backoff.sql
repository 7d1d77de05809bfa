create or replace function tenure_private.backoff(p_backoff jsonb, p_attempt int, p_random double precision)
returns interval
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $function$
-- The exponent is clamped before power() is called: power() overflows although its result would be capped. And
-- numbers are rounded before they become doubles: jsonb holds some that are too small for one.
declare
    v_kind constant text = coalesce(p_backoff ->> 'kind', 'exponential');
    v_base constant double precision = round(coalesce((p_backoff ->> 'base')::numeric, 1), 9)::double precision;
    v_factor constant double precision = round(coalesce((p_backoff ->> 'factor')::numeric, 2), 9)::double precision;
    -- The default cap is for what grows: a base above it is meant.
    v_cap constant double precision = coalesce(
        round((p_backoff ->> 'cap')::numeric, 9)::double precision, greatest(3600, v_base)
    );
    v_jitter constant double precision = round(coalesce((p_backoff ->> 'jitter')::numeric, 0.2), 9)::double precision;
    v_step constant double precision = (greatest(p_attempt, 1) - 1)::double precision;
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
