-- Ends a claim, in whatever state it is, and hands the name over to the next waiter. Atomic: no other claim is served in between.
-- KEYS: the name. ARGV: see Script.RELEASE; `reason` is RELEASE_ANSWERED, RELEASE_UNCERTAIN if a request of the claim may still
-- arrive, or RELEASE_UNCONFIRMED to end only a grant by message that was not confirmed.
-- Returns {1 if it held the name until now, 1 if there is more to do for the queue, why a message could not be sent}; or
-- {REPLY_FOREIGN_KEY, layout}.
--@constants
local key = KEYS[1]
--@arguments
local retention = tonumber(retentionMicros)
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

if reason == RELEASE_ANSWERED then
  -- Fast path: the only holder, and no waiters.
  local s = redis.pcall('HMGET', key, 'layout', 'capacity', 'waiting', 'h:1')
  if s[1] == LAYOUT and s[2] == '1' and not s[3] and s[4] and string.sub(s[4], 18, 18 + #id) == id .. ' ' then
    redis.call('HDEL', key, 'h:1', 'o:1', 'capacity')
    -- The expiry comes first, in 16 digits.
    return {string.sub(s[4], 1, 16) + 0 > now and 1 or 0}
  end
end

--@state

local layout = load()
if layout then
  return {REPLY_FOREIGN_KEY, layout}
end
local was, known = 0, false
if capacity then
  expire()
  local k, h = findLive(id)
  if h and (reason ~= RELEASE_UNCONFIRMED or h.kind == UNCONFIRMED) then
    remove(k, h)
    was, known = 1, true
  elseif waiting > 0 and reason ~= RELEASE_UNCONFIRMED then
    local seq = redis.call('HGET', key, 'p:' .. id)
    if seq then
      drop(tonumber(seq), id)
      known = true
    end
  end
end
if reason == RELEASE_UNCERTAIN or reason == RELEASE_ANSWERED and not known then
  addTombstone(id)
end
if capacity then
  promote(nil)
end
if capacity or keepFor > 0 then
  -- Otherwise there is nothing to write, and maybe no key: one that is created here would have no expiry.
  save()
end
return {was, more, failure}
