-- What is held and waited for. Atomic: holders and queue of one moment. Writes nothing.
-- KEYS: the name. Returns {0} for nothing, or {1, server time, capacity, how many wait, {record, owner, …}, {entry, …}}.
local key = KEYS[1]
local retention = 0
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

--@state

local MOST_HOLDERS = 1000
local MOST_WAITERS = 100
local MOST_LOOKS = 2000

if load() or not capacity then
  return {0}
end
local holders = {}
for k = 1, math.min(held, MOST_HOLDERS) do
  local h = redis.call('HMGET', key, 'h:' .. k, 'o:' .. k)
  if parseHolder(h[1]).over > now then
    holders[#holders + 1] = h[1]
    holders[#holders + 1] = h[2]
  end
end
local entries = {}
local seq = first
while #entries < math.min(waiting, MOST_WAITERS) and seq < math.min(next, first + MOST_LOOKS) do
  local entry = redis.call('HGET', key, 'q:' .. seq)
  if entry then
    entries[#entries + 1] = entry
  end
  seq = seq + 1
end
return {1, now, capacity, waiting, holders, entries}
