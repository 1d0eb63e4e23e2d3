-- Lengthens leases, and takes units back. Atomic for all keys together, which nobody needs; it is one script to save calls.
-- KEYS: names. ARGV: retention, then for each key: id, units, lease. Returns 1 or 0 for each key, then 1 if a queue could go
-- on, and why a message could not be sent.
local retention = tonumber(ARGV[1])
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local key

--@state

local outcomes = {}
for i = 1, #KEYS do
  key = KEYS[i]
  local id = ARGV[3 * i - 1]
  local units = tonumber(ARGV[3 * i])
  local over = now + tonumber(ARGV[3 * i + 1])
  local kept = 0
  if not load() and capacity then
    if ends <= now then
      expire()
      promote(nil)
      save()
    end
    local k, h = find(id)
    if h then
      kept = 1
      h.kind = 'c'
      h.over = math.max(h.over, over)
      admit()
      local keep = math.ceil((h.over - now + retention) / 1000)
      if redis.call('PTTL', key) < keep then
        redis.call('PEXPIRE', key, string.format('%.0f', keep))
      end
      local fewer = h.units - units
      h.units = math.min(h.units, units)
      redis.call('HSET', key, 'h:' .. k, formatHolder(h))
      if fewer > 0 then
        used = used - fewer
        dirty = true
        promote(nil)
        save()
      end
    end
  end
  outcomes[i] = kept
end
outcomes[#KEYS + 1] = more
outcomes[#KEYS + 2] = failure
return outcomes
