-- The built-in queue; it sets no bounds.
do $seed$
begin
    perform tenure.create_queue('default');
end
$seed$;
