-- Acquires the name for a claim, or puts the claim into the wait queue. Atomic: check and grant are one script.
-- KEYS: the name. ARGV: id, T (try) or W (wait), units, capacity, lease, tokens, owner, lease and retention in
-- milliseconds, channel, arrival number.
-- Returns {1, first token, tokens, microseconds left}; {0, again} does not fit; {2, arrival number, position, server time,
-- microseconds to the first expiry, run id, 1 if it should poll again at once}; {3} subscribe first; {4, capacity, again} in use with
-- another; {5} has a tombstone; {6, layout} not ours. `again` is 1 if there are expired holders or dead waiters that may be in its
-- way: the same request again is answered for good after some more calls. Answers that may have served other claims too end with 1
-- if there is more to do for the queue, and why a message could not be sent.
local key = KEYS[1]
local id = ARGV[1]
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

if ARGV[4] == '1' then
  -- The short way: an exclusive claim to a name that is free. What `grant` and `save` do, in as few steps as there are.
  local s = redis.pcall('HMGET', key, 'layout', 'capacity', 'last', 'tombstones')
  if s[1] == '2' and not s[2] and not s[4] or not s[1] and not s.err and redis.call('EXISTS', key) == 0 then
    local token, size = now, tonumber(ARGV[6])
    local last = s[3] and s[3] + 0
    if last and last >= now then
      token, size = last + 1, 1
    elseif size > 64 then
      size = 64
    end
    redis.call('HSET', key, 'layout', '2', 'capacity', '1', 'last', string.format('%.0f', token + size - 1),
      'h:1', string.format('%.0f %s %s 1 %.0f %d %.0f c', now + ARGV[5], id, ARGV[5], token, size, now), 'o:1', ARGV[7])
    redis.call('PEXPIRE', key, ARGV[8])
    return {1, token, size, tonumber(ARGV[5])}
  end
end

local wanted = tonumber(ARGV[4])
local lease = tonumber(ARGV[5])
local retention = ARGV[8] * 1000 - lease

--@state

-- The position of the claim with that arrival number; 1 is the head. Withdrawn claims leave gaps: then the claims in front are
-- counted, as far as it makes a difference. Behind a thousand places that are mostly gaps it is the least that it can be.
local function positionOf(seq)
  local span = seq - first
  local gaps = next - first - waiting
  if span < 2 or gaps == 0 then
    return span + 1
  end
  local found = 0
  for chunk = 0, 31 do
    local fields = {}
    for i = first + chunk * CHUNK, math.min(seq, first + (chunk + 1) * CHUNK) - 1 do
      fields[#fields + 1] = 'q:' .. i
    end
    if #fields == 0 then
      return found + 1
    end
    for _, entry in ipairs(redis.call('HMGET', key, unpack(fields))) do
      if entry then
        found = found + 1
      end
    end
    if found >= LONGEST_POLL then
      break
    end
  end
  return math.max(found, span - gaps) + 1
end

local units = tonumber(ARGV[3])
local tokens = tonumber(ARGV[6])

local layout = load()
if layout then
  return {6, layout}
end
if tombstones then
  sweepTombstones()
  if hasTombstone(id) then
    return {5}
  end
end
if not capacity then
  capacity = wanted
end
expire()
if held == 0 and waiting == 0 then
  capacity = wanted
end

-- A claim that is sent again after an unknown outcome finds its own record.
local k, own = findLive(id)
if own then
  admit()
  if own.kind == 'p' then
    -- It has not received the message; this request counts from when it was sent, so it can have the whole lease.
    own.kind = 'c'
    extend(own, lease)
    life = lease
  end
  -- Written even if nothing has changed: replicas that are waited for have to have it.
  place(k, formatHolder(own), {})
  promote(nil)
  save()
  return {1, tonumber(own.token), tonumber(own.tokens), own.over - clock, more, failure}
end

if capacity ~= wanted then
  local present = capacity
  promote(nil)
  save()
  -- Without holders and waiters the name has no capacity any more.
  local again = unfinished() or held == 0 and waiting == 0
  return {4, present, again and 1 or 0, 0, again and 0 or more, failure}
end

if ARGV[2] == 'T' then
  promote(nil)
  if waiting == 0 and used + units <= capacity then
    own = grant(id, units, tokens, lease, ARGV[7], 'c')
  end
  save()
  if own then
    return {1, tonumber(own.token), own.tokens, lease, more, failure}
  end
  local again = unfinished()
  return {0, again and 1 or 0, 0, 0, again and 0 or more, failure}
end

if waiting == 0 and used + units <= capacity then
  own = grant(id, units, tokens, lease, ARGV[7], 'c')
  save()
  return {1, tonumber(own.token), own.tokens, lease}
end

-- A message to a channel without subscribers is lost, so no claim is put into the queue without one.
local sharded = string.sub(ARGV[9], 1, 1) == 's'
local listeners = redis.call('PUBSUB', sharded and 'SHARDNUMSUB' or 'NUMSUB', string.sub(ARGV[9], 3))[2]
local seq, position = nil, nil
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
      -- All waiters were skipped and come back; claims with smaller numbers get their place before it.
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
  position = positionOf(seq)
  local poll = (position <= 2 and 1 or math.min(position, LONGEST_POLL)) * POLL
  redis.call('HSET', key, 'q:' .. seq, string.format('%s %s %s %s %.0f %s %s %s',
    id, ARGV[3], ARGV[6], ARGV[5], now + 3 * poll, since, ARGV[9], ARGV[7]))
  life = 3 * poll
end

local before = waiting
own = promote(id)
save()
if own then
  return {1, tonumber(own.token), own.tokens, lease, more, failure}
elseif not seq then
  return {3}
end
-- Only claims in front of it have left the queue.
return {2, seq, math.max(1, position - (before - waiting)), now, math.max(0, ends - clock), runId(), more}
