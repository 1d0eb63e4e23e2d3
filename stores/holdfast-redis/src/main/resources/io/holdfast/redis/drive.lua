-- Continues where a call before has stopped: removes expired holders, serves the queue. Atomic, as every step of it.
-- KEYS: the name. ARGV: retention. Returns {0, 1 if there is more to do, why a message could not be sent}.
local key = KEYS[1]
local retention = tonumber(ARGV[1])
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

--@state

if not load() and capacity then
  expire()
  promote(nil)
  save()
end
return {0, more, failure}
