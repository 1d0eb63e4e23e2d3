-- The wait queue and the tombstones of one name. Script inserts it after state.lua, which describes the fields.

-- The entry at the head; moves `first` over the gaps that released claims have left.
local function head()
  local text = redis.call('HGET', key, 'q:' .. first)
  local reads = 0
  while not text do
    reads = reads + 1
    if reads > MOST_DEAD then
      more, stopped = 1, true
      return nil
    end
    local fields = {}
    for i = 1, CHUNK do
      fields[i] = 'q:' .. (first + i)
    end
    local found = redis.call('HMGET', key, unpack(fields))
    local steps = CHUNK
    for i = 1, CHUNK do
      if found[i] then
        text = found[i]
        steps = i
        break
      end
    end
    first = first + steps
    dirty = true
    if not text and first >= next then
      waiting = 0
      return nil
    end
  end
  return text
end

local function drop(seq, id)
  redis.call('HDEL', key, 'q:' .. seq, 'p:' .. id)
  dirty = true
  waiting = waiting - 1
  if seq == first then
    first = first + 1
  end
end

-- The run id of this server process: another process has another clock.
local function runId()
  local info = redis.call('INFO', 'server')
  -- Without a pattern, which would be tried at every character before.
  local _, at = string.find(info, 'run_id:', 1, true)
  return string.match(info, '^%x+', at + 1)
end

-- The wakeup channel of a claim is preceded by its type.
local function isSharded(channel)
  return string.sub(channel, 1, 2) == SHARDED_CHANNEL
end

local function channelName(channel)
  return string.sub(channel, 3)
end

-- Notifies the waiter. Returns how many subscribers received the message; nil if it could not be sent, for an ACL or a slot that has moved.
local function publish(e, h, window)
  local command = isSharded(e.channel) and 'SPUBLISH' or 'PUBLISH'
  local text = string.format('%s %s %s %.0f %.0f %s %s', h.id, h.token, h.tokens, now, window, runId(), key)
  local received = redis.pcall(command, channelName(e.channel), text)
  if type(received) == 'table' then
    failure = received.err
    return nil
  end
  return received
end

-- Grants from the head of the queue while the head fits. Other claims are notified by a message, and must confirm within a short
-- time; the claim of this request, `self`, gets its whole lease, and is returned. The work of one script is bounded.
local function promote(self)
  local own = nil
  while waiting > 0 do
    local text = head()
    if not text then
      return own
    end
    local seq, e = first, parseEntry(text)
    if e.id ~= self and e.alive <= now then
      if dead == MOST_DEAD then
        more, stopped = 1, true
        return own
      end
      dead = dead + 1
      drop(seq, e.id)
    elseif used + e.units > capacity then
      return own
    elseif e.id == self then
      drop(seq, e.id)
      own = grant(e.id, e.units, e.tokens, e.lease, e.owner, CONFIRMED)
    else
      if messages == MOST_MESSAGES then
        more, stopped = 1, true
        return own
      end
      messages = messages + 1
      drop(seq, e.id)
      local window = math.min(WINDOW, e.lease)
      local h = grant(e.id, e.units, e.tokens, window, e.owner, UNCONFIRMED)
      -- Record and token first, the message last: a message that is lost changes nothing of what is written.
      save()
      local received = publish(e, h, window)
      if received == nil then
        -- Waiters cannot be notified; they poll, and the head is granted the name by that.
        remove(h.k, h)
        redis.call('HSET', key, 'q:' .. seq, text, 'p:' .. e.id, seq)
        waiting = waiting + 1
        first = seq
        return own
      elseif received == 0 then
        -- Not connected at present. The client keeps the arrival number, and sends it along when it polls.
        remove(h.k, h)
      end
    end
  end
  return own
end

-- Deletes the oldest tombstones that have expired, a few in each script.
local function sweepTombstones()
  local from, to = string.match(tombstones, '^(%d+) (%d+)$')
  from, to = tonumber(from), tonumber(to)
  local fields = {}
  for n = from, math.min(to, from + MOST_TOMBSTONES) - 1 do
    fields[#fields + 1] = 'e:' .. n
  end
  local deleted = {}
  for _, text in ipairs(redis.call('HMGET', key, unpack(fields))) do
    local expiry, id = string.match(text, '^(%d+) (%S+)$')
    if tonumber(expiry) > now then
      break
    end
    deleted[#deleted + 1] = 'x:' .. id
    deleted[#deleted + 1] = 'e:' .. from
    from = from + 1
  end
  if #deleted == 0 then
    return
  elseif from == to then
    deleted[#deleted + 1] = 'tombstones'
    redis.call('HDEL', key, unpack(deleted))
    tombstones = false
  else
    redis.call('HDEL', key, unpack(deleted))
    tombstones = string.format('%.0f %.0f', from, to)
    redis.call('HSET', key, 'tombstones', tombstones)
  end
end

-- Whether the claim has ended. Claims are never used again, so a tombstone counts as long as it exists.
local function hasTombstone(id)
  return tombstones and redis.call('HEXISTS', key, 'x:' .. id) == 1
end

-- Redis executes requests of connections that are closed already: a stale request of this claim must not be granted. Every
-- tombstone is kept for TOMBSTONE_LIFE; each call deletes more old ones than it adds, so there are at most as many as were added in
-- that time.
local function addTombstone(id)
  if tombstones then
    sweepTombstones()
  end
  if not hasTombstone(id) then
    local from, to = string.match(tombstones or '1 1', '^(%d+) (%d+)$')
    tombstones = string.format('%s %.0f', from, to + 1)
    redis.call('HSET', key, 'x:' .. id, 1, 'e:' .. to, string.format('%.0f %s', now + TOMBSTONE_LIFE, id), 'tombstones', tombstones)
  end
  keepFor = math.max(keepFor, TOMBSTONE_LIFE)
end
