-- Acquires the name for a claim, or puts the claim into the wait queue. Atomic: check and grant are one script.
-- KEYS: the name. ARGV: see Script.ACQUIRE; times in microseconds, keepMillis is lease and retention in milliseconds. `arrivalNumber`
-- is the number that the claim had in the queue, or empty.
-- Returns one of:
--   {REPLY_GRANTED, first token, tokens, microseconds left, more, failure}
--   {REPLY_DOES_NOT_FIT, again, 0, 0, more, failure}
--   {REPLY_QUEUED, arrival number, position, server time, microseconds to the first expiry, run id, more}
--   {REPLY_NOT_SUBSCRIBED}
--   {REPLY_OTHER_CAPACITY, capacity in use, again, 0, more, failure}
--   {REPLY_ENDED}: the claim has a tombstone
--   {REPLY_FOREIGN_KEY, layout}
-- `again` is 1 if expired holders or dead waiters may block the claim: the same request gets a definite answer after some more calls.
-- `more` is 1 if there is more to do for the queue; `failure` is why a message to a waiter could not be sent. Both are left out where
-- no other claim was served.
--@constants
local key = KEYS[1]
--@arguments
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

if wantedCapacity == '1' then
  -- Fast path: an exclusive claim to a name that is free. Does what `grant` and `save` do, in the fewest commands.
  local s = redis.pcall('HMGET', key, 'layout', 'capacity', 'last', 'tombstones')
  if s[1] == LAYOUT and not s[2] and not s[4] or not s[1] and not s.err and redis.call('EXISTS', key) == 0 then
    local token, size = now, tonumber(wantedTokens)
    local last = s[3] and s[3] + 0
    if last and last >= now then
      token, size = last + 1, 1
    elseif size > 64 then
      size = 64
    end
    redis.call('HSET', key, 'layout', LAYOUT, 'capacity', '1', 'last', string.format('%.0f', token + size - 1),
      'h:1', string.format('%.0f %s %s 1 %.0f %d %.0f c', now + wantedLease, id, wantedLease, token, size, now), 'o:1', owner)
    redis.call('PEXPIRE', key, keepMillis)
    return {REPLY_GRANTED, token, size, tonumber(wantedLease)}
  end
end

local lease = tonumber(wantedLease)
local retention = keepMillis * 1000 - lease

--@state

-- The position of the claim with that arrival number; 1 is the head. Withdrawn claims leave gaps: then the claims in front are
-- counted, as far as it makes a difference. Behind a thousand numbers that are mostly gaps, the result is a lower bound.
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

local units = tonumber(wantedUnits)
local tokens = tonumber(wantedTokens)
local wanted = tonumber(wantedCapacity)

local layout = load()
if layout then
  return {REPLY_FOREIGN_KEY, layout}
end
if tombstones then
  sweepTombstones()
  if hasTombstone(id) then
    return {REPLY_ENDED}
  end
end
if not capacity then
  capacity = wanted
end
expire()
if held == 0 and waiting == 0 then
  capacity = wanted
end

-- A claim that is sent again because its first request was not answered finds its own record.
local k, own = findLive(id)
if own then
  allowWritesIfFull()
  if own.kind == UNCONFIRMED then
    -- It has not received the message. This request counts from when it was sent, so the claim gets the whole lease.
    own.kind = CONFIRMED
    extend(own, lease)
    keepFor = lease
  end
  -- Written even if nothing has changed: WAIT confirms only what this request has written.
  place(k, formatHolder(own), {})
  promote(nil)
  save()
  return {REPLY_GRANTED, tonumber(own.token), tonumber(own.tokens), own.expiry - clock, more, failure}
end

if capacity ~= wanted then
  local present = capacity
  promote(nil)
  save()
  -- Without holders and waiters the name has no capacity.
  local again = unfinished() or held == 0 and waiting == 0
  return {REPLY_OTHER_CAPACITY, present, again and 1 or 0, 0, again and 0 or more, failure}
end

if mode == MODE_TRY then
  promote(nil)
  if waiting == 0 and used + units <= capacity then
    own = grant(id, units, tokens, lease, owner, CONFIRMED)
  end
  save()
  if own then
    return {REPLY_GRANTED, tonumber(own.token), own.tokens, lease, more, failure}
  end
  local again = unfinished()
  return {REPLY_DOES_NOT_FIT, again and 1 or 0, 0, 0, again and 0 or more, failure}
end

if waiting == 0 and used + units <= capacity then
  own = grant(id, units, tokens, lease, owner, CONFIRMED)
  save()
  return {REPLY_GRANTED, tonumber(own.token), own.tokens, lease}
end

-- A message to a channel without subscribers is lost, so no claim is put into the queue without one.
local subscribers = redis.call('PUBSUB', isSharded(channel) and 'SHARDNUMSUB' or 'NUMSUB', channelName(channel))[2]
local seq, position = nil, nil
if subscribers > 0 then
  local since
  seq = tonumber(redis.call('HGET', key, 'p:' .. id) or nil)
  if seq then
    allowWritesIfFull()
    since = parseEntry(redis.call('HGET', key, 'q:' .. seq)).since
  else
    since = string.format('%.0f', now)
    seq = tonumber(arrivalNumber)
    if seq and waiting == 0 then
      -- All waiters were skipped and poll again; claims with smaller numbers are put before this one.
      first, next = seq, seq + 1
    elseif not seq or seq >= next or (seq >= first and redis.call('HEXISTS', key, 'q:' .. seq) == 1) then
      seq = next
      next = next + 1
    elseif seq < first then
      -- It was skipped, and is the first now. Its number is not restored if that leaves a large gap: gaps cost time.
      seq = first - seq > 512 and first - 1 or seq
      first = seq
    end
    waiting = waiting + 1
    dirty = true
    redis.call('HSET', key, 'p:' .. id, seq)
  end
  position = positionOf(seq)
  local poll = (position <= 2 and 1 or math.min(position, LONGEST_POLL)) * POLL_INTERVAL
  redis.call('HSET', key, 'q:' .. seq, string.format('%s %s %s %s %.0f %s %s %s',
    id, wantedUnits, wantedTokens, wantedLease, now + 3 * poll, since, channel, owner))
  keepFor = 3 * poll
end

local before = waiting
own = promote(id)
save()
if own then
  return {REPLY_GRANTED, tonumber(own.token), own.tokens, lease, more, failure}
elseif not seq then
  return {REPLY_NOT_SUBSCRIBED}
end
-- Only claims in front of it have left the queue.
return {REPLY_QUEUED, seq, math.max(1, position - (before - waiting)), now, math.max(0, firstExpiry - clock), runId(), more}
