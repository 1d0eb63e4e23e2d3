-- Renews leases, and returns units. Atomic for all keys together, which is not needed; it is one script to save calls.
-- KEYS: names. ARGV: see Script.RENEW, then for each key: id, units, lease; a negative lease shortens to that length.
-- Returns 1 or 0 for each key, then 1 if there is more to do for a queue, and why a message could not be sent.
--@constants
--@arguments
local retention = tonumber(retentionMicros)
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local key

--@state

local outcomes = {}
for i = 1, #KEYS do
  key = KEYS[i]
  local at = 2 + (i - 1) * ARGUMENTS_PER_RENEWAL
  local id, units, lease = ARGV[at], tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
  local kept = 0
  if not load() and capacity then
    if firstExpiry <= clock then
      expire()
      promote(nil)
      save()
    end
    local k, h = find(id)
    if h and h.expiry > clock then
      kept = 1
      h.kind = CONFIRMED
      if lease < 0 then
        shorten(h, -lease)
      else
        extend(h, lease)
      end
      allowWritesIfFull()
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
