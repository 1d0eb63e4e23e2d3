-- Continues where another script has reached its limit: removes expired holders, serves the queue. Atomic, as every step of it.
-- KEYS: the name. ARGV: see Script.SERVE_QUEUE. Returns {0, 1 if there is more to do, why a message could not be sent}.
--@constants
local key = KEYS[1]
--@arguments
local retention = tonumber(retentionMicros)
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

--@state

if not load() and capacity then
  expire()
  promote(nil)
  save()
end
return {0, more, failure}
