-- Renews leases, and gives units back. Atomic for all keys together, which is not needed; it is one script to save calls.
-- KEYS: names. ARGV: retention, then for each key: id, units, lease; a negative lease shortens to that length. Returns 1 or 0 for each key, then 1 if there is more to do for
-- a queue, and why a message could not be sent.
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
  local kept = 0
  if not load() and capacity then
    if ends <= clock then
      expire()
      promote(nil)
      save()
    end
    local k, h = find(id)
    if h and h.over > clock then
      kept = 1
      h.kind = 'c'
      local lease = tonumber(ARGV[3 * i + 1])
      if lease < 0 then
        shorten(h, -lease)
      else
        extend(h, lease)
      end
      admit()
      local keep = math.ceil((h.lease + retention) / 1000)
      if redis.call('PTTL', key) < keep then
        redis.call('PEXPIRE', key, string.format('%.0f', keep))
      end
      if h.units > units then
        used = used - (h.units - units)
        h.units = units
        dirty = true
      end
      place(k, formatHolder(h), {})
    end
    if dirty then
      promote(nil)
      save()
    end
  end
  outcomes[i] = kept
end
outcomes[#KEYS + 1] = more
outcomes[#KEYS + 2] = failure
return outcomes
