-- Owners can read events.
UPDATE roles SET capabilities = json_insert(capabilities, '$[#]', 3001), update_time = update_time + 1
WHERE uid = '4e13a874c5dfc25fa6c8f963f7172906b675d5eb';
