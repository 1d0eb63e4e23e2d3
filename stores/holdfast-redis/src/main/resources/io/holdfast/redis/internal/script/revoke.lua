-- Forced release: ends the holder whose block has the token, and hands the name over. Atomic: never ends the next holder.
-- KEYS: the name. ARGV: see Script.REVOKE. Returns {1 if there was a holder, 1 if there is more to do for the queue, why a message
-- could not be sent}; or {REPLY_FOREIGN_KEY, layout}.
--@constants
local key = KEYS[1]
--@arguments
local token = tonumber(wantedToken)
local retention = tonumber(retentionMicros)
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

--@state

-- The claim whose block of tokens may have this one: a block is small, so the candidates for its first token are few.
local function claimOf()
  if capacity == 1 then
    return top and parseHolder(top).id
  end
  local fields = {}
  for i = 1, LARGEST_BLOCK do
    fields[i] = string.format('o:%.0f', token - i + 1)
  end
  -- The nearest first token: blocks do not overlap.
  for _, text in ipairs(redis.call('HMGET', key, unpack(fields))) do
    if text then
      return string.match(text, '^%S+')
    end
  end
  return nil
end

local layout = load()
if layout then
  return {REPLY_FOREIGN_KEY, layout}
end
local found = 0
if capacity then
  expire()
  local id = claimOf()
  local k, h = nil, nil
  if id then
    k, h = find(id)
  end
  if h and h.expiry > clock and token >= tonumber(h.token) and token < h.token + h.tokens then
    remove(k, h)
    found = 1
  end
  promote(nil)
  save()
end
return {found, more, failure}
