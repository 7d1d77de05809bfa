do $caller$
begin
    perform set_config('lock_timeout', current_setting('tenure.caller_lock_timeout'), true);
    perform set_config('role', current_setting('tenure.caller_role'), true);
    perform set_config('search_path', current_setting('tenure.caller_path'), true);
end
$caller$;
