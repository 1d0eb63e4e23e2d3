-- Ends a claim, in whatever state it is, and hands the name to the next waiter. Atomic: no other claim comes in between.
-- KEYS: the name. ARGV: id, 1 if a request of the claim may still be under way, or p if it shall end only what was pushed and
-- not confirmed, retention.
-- Returns {1 if it held the name until now, 1 if there is more to do for the queue, why a message could not be sent}; {6, layout} not ours.
local key = KEYS[1]
local id = ARGV[1]
local retention = tonumber(ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

if ARGV[2] == '0' then
  -- The short way: the only holder, and no waiters.
  local s = redis.pcall('HMGET', key, 'layout', 'capacity', 'waiting', 'h:1')
  if s[1] == '2' and s[2] == '1' and not s[3] and s[4] and string.sub(s[4], 18, 18 + #id) == id .. ' ' then
    redis.call('HDEL', key, 'h:1', 'o:1', 'capacity')
    -- The end of the lease comes first, in 16 digits.
    return {string.sub(s[4], 1, 16) + 0 > now and 1 or 0}
  end
end

--@state

local layout = load()
if layout then
  return {6, layout}
end
local was, known = 0, false
if capacity then
  expire()
  local k, h = findLive(id)
  if h and (ARGV[2] ~= 'p' or h.kind == 'p') then
    remove(k, h)
    was, known = 1, true
  elseif waiting > 0 and ARGV[2] ~= 'p' then
    local seq = redis.call('HGET', key, 'p:' .. id)
    if seq then
      drop(tonumber(seq), id)
      known = true
    end
  end
end
if ARGV[2] == '1' or ARGV[2] == '0' and not known then
  addTombstone(id)
end
if capacity then
  promote(nil)
end
if capacity or life > 0 then
  -- Else there is nothing to keep, and maybe no key: one that is made here would have no expiry.
  save()
end
return {was, more, failure}
