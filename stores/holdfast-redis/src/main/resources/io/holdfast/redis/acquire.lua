-- Takes the name for a claim, or gives it a place in the queue. Atomic: looking and taking are one script.
-- KEYS: the name. ARGV: id, T (try) or W (wait), units, capacity, lease, tokens, owner, lease and retention in
-- milliseconds, channel, arrival number.
-- Returns {1, first token, tokens, microseconds left}; {0} taken; {2, arrival number, position, server time, microseconds to the
-- first end of a lease, run id, 1 if it should ask again at once}; {3} listen first; {4, capacity} in use with another; {5} was
-- ended before; {6, layout} not ours. Those that may have served others too end with 1 if the queue could go on, and why a
-- message could not be sent.
local key = KEYS[1]
local id = ARGV[1]
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

if ARGV[4] == '1' then
  -- The short way: an exclusive claim to a name that nobody uses. What `grant` and `save` do, in as few steps as there are.
  local s = redis.pcall('HMGET', key, 'layout', 'capacity', 'last', 'gone')
  if s[1] == '1' and not s[2] and not s[4] or not s[1] and not s.err and redis.call('EXISTS', key) == 0 then
    local token, size = now, tonumber(ARGV[6])
    local last = s[3] and s[3] + 0
    if last and last >= now then
      token, size = last + 1, 1
    elseif size > 64 then
      size = 64
    end
    redis.call('HSET', key, 'layout', '1', 'capacity', '1', 'last', string.format('%.0f', token + size - 1),
      'h:1', string.format('%s 1 %.0f %d %.0f %.0f c', id, token, size, now, now + ARGV[5]), 'o:1', ARGV[7])
    redis.call('PEXPIRE', key, ARGV[8])
    return {1, token, size, tonumber(ARGV[5])}
  end
end

local wanted = tonumber(ARGV[4])
local lease = tonumber(ARGV[5])
local retention = ARGV[8] * 1000 - lease

--@state

local units = tonumber(ARGV[3])
local tokens = tonumber(ARGV[6])

local layout = load()
if layout then
  return {6, layout}
end
if isBuried(id) then
  return {5}
end
if not capacity then
  capacity = wanted
end
expire()
if held == 0 and waiting == 0 then
  capacity = wanted
end

-- A claim that asks again after an unknown outcome finds its own record.
local k, own = find(id)
if own then
  admit()
  if own.kind == 'p' then
    -- It has not heard the message; this request counts from when it was sent, so it can have the whole lease.
    own.kind = 'c'
    own.over = math.max(own.over, now + lease)
    life = lease
    if capacity == 1 then
      ends = own.over
    end
  end
  -- Written even if nothing has changed: replicas that are waited for have to have it.
  redis.call('HSET', key, 'h:' .. k, formatHolder(own))
  promote(nil)
  save()
  return {1, tonumber(own.token), tonumber(own.tokens), own.over - now, more, failure}
end

if capacity ~= wanted then
  local present = capacity
  promote(nil)
  save()
  return {4, present, 0, 0, more, failure}
end

if ARGV[2] == 'T' then
  promote(nil)
  if waiting == 0 and used + units <= capacity then
    own = grant(id, units, tokens, lease, ARGV[7], 'c')
  end
  save()
  return own and {1, tonumber(own.token), own.tokens, lease, more, failure} or {0, 0, 0, 0, more, failure}
end

if waiting == 0 and used + units <= capacity then
  own = grant(id, units, tokens, lease, ARGV[7], 'c')
  save()
  return {1, tonumber(own.token), own.tokens, lease}
end

-- A message to a channel that nobody listens to is lost, so nobody is put into the queue without.
local sharded = string.sub(ARGV[9], 1, 1) == 's'
local listeners = redis.call('PUBSUB', sharded and 'SHARDNUMSUB' or 'NUMSUB', string.sub(ARGV[9], 3))[2]
local seq = nil
if listeners > 0 then
  local since
  seq = tonumber(redis.call('HGET', key, 'p:' .. id) or nil)
  if seq then
    admit()
    since = parseEntry(redis.call('HGET', key, 'q:' .. seq)).since
  else
    since = string.format('%.0f', now)
    seq = tonumber(ARGV[10])
    if seq and waiting == 0 then
      -- Everybody was skipped and comes back; those with smaller numbers find their place before it.
      first, next = seq, seq + 1
    elseif not seq or seq >= next or (seq >= first and redis.call('HEXISTS', key, 'q:' .. seq) == 1) then
      seq = next
      next = next + 1
    elseif seq < first then
      -- It was skipped, and has its turn now; but gaps cost time.
      seq = first - seq > 512 and first - 1 or seq
      first = seq
    end
    waiting = waiting + 1
    dirty = true
    redis.call('HSET', key, 'p:' .. id, seq)
  end
  local position = seq - first + 1
  local ask = (position <= 2 and 1 or math.min(position, LONGEST_ASK)) * ASK
  redis.call('HSET', key, 'q:' .. seq, string.format('%s %s %s %s %.0f %s %s %s',
    id, ARGV[3], ARGV[6], ARGV[5], now + 3 * ask, since, ARGV[9], ARGV[7]))
  life = 3 * ask
end

own = promote(id)
save()
if own then
  return {1, tonumber(own.token), own.tokens, lease, more, failure}
elseif not seq then
  return {3}
end
return {2, seq, math.max(1, seq - first + 1), now, held > 0 and ends - now or 0, run(), more}
