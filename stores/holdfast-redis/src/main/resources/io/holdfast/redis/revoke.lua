-- Takes the name from the holder whose block has the token, and hands it on. Atomic: never hits the successor.
-- KEYS: the name. ARGV: token, retention. Returns {1 if there was one, 1 if the queue could go on, why a message could not be
-- sent}; {6, layout} not ours.
local key = KEYS[1]
local token = tonumber(ARGV[1])
local retention = tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

--@state

local layout = load()
if layout then
  return {6, layout}
end
local found = 0
if capacity then
  expire()
  for k = 1, held do
    local h = parseHolder(redis.call('HGET', key, 'h:' .. k))
    local from = tonumber(h.token)
    if token >= from and token < from + h.tokens then
      remove(k, h)
      found = 1
      break
    end
  end
  promote(nil)
  save()
end
return {found, more, failure}
