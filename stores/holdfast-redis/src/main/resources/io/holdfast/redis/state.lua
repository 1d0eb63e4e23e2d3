-- What the scripts share: the state of one name, and the steps that change it.
--
-- One hash has it all, so that a slot in migration never has half of it:
--   layout                  '1'; a key with another one is left alone
--   last                    the end of the last block of tokens that was reserved
--   capacity                only while somebody holds or waits: how much there is
--   h:K, o:K                holder number K and its owner; K is 1 to `held`, without gaps
--   at:ID                   the number of the holder with that claim, if the capacity is above 1
--   used, held, ends        units and number of the holders, and a time before which no lease ends, if the capacity is above 1
--   q:N, p:ID               the entry with arrival number N, and the arrival number of a claim that waits
--   first, next, waiting    where to look for the head, the next arrival number, and how many wait; only while somebody does
--   gone                    claims that were ended while a request of theirs may have been under way
--
-- Invariant: the units of all holders add up to at most the capacity; a claim is a holder or waits or neither. A script is
-- atomic, so it holds between scripts if each step keeps it. Only `grant` makes a holder, and only of the head of the queue,
-- or of a newcomer when nobody waits, and only if it fits: so nobody overtakes a head that waits. Whoever makes room calls
-- `promote` in the same script, so the queue does not wait for room that is there.
--
-- Times and tokens are microseconds of this server's clock. They are below 2^53, so numbers are exact; but `..` keeps only 14
-- digits, so they leave by '%.0f' or as integers. Most of the time of a script goes into taking texts apart and making
-- numbers of them: so it is done where a number is needed, and what is only passed on stays a text.

local WINDOW = 1500000 -- a lease that is pushed: longer than the time between two asks of the head
local ASK = 1000000
local LONGEST_ASK = 30 -- times ASK
local BURIED = 300000000
local MOST_BURIED = 64
local LARGEST_BLOCK = 64
local MOST_DEAD = 32
local MOST_TRIES = 8

local capacity, last, used, held, ends, first, next, waiting, gone
local life = 0 -- how long the key has to stay for what this script has done
local more = 0 -- the queue could go on, but this call has done its share
local failure = '' -- why a message could not be sent
local hadQueue, hadCounts
local single -- the record of the holder, if the capacity is 1
local dirty = false -- something has changed that `save` has not written

local function parseHolder(text)
  local id, units, token, tokens, since, over, kind = string.match(text, '^(%S+) (%d+) (%d+) (%d+) (%d+) (%d+) (%a)$')
  return {id = id, units = tonumber(units), token = token, tokens = tokens, since = since, over = tonumber(over), kind = kind}
end

local function formatHolder(h)
  return string.format('%s %d %s %s %s %.0f %s', h.id, h.units, h.token, h.tokens, h.since, h.over, h.kind)
end

-- The end of the lease stands before the last letter, in 16 digits.
local function overOf(text)
  return tonumber(string.sub(text, -18, -3))
end

local function parseEntry(text)
  local id, units, tokens, lease, alive, since, channel, owner =
    string.match(text, '^(%S+) (%d+) (%d+) (%d+) (%d+) (%d+) (%S+) (.*)$')
  return {
    id = id, units = tonumber(units), tokens = tonumber(tokens), lease = tonumber(lease),
    alive = tonumber(alive), since = since, channel = channel, owner = owner
  }
end

-- Reads the state; returns the layout if it is not ours to touch.
local function load()
  local s = redis.pcall('HMGET', key,
    'layout', 'capacity', 'last', 'gone', 'waiting', 'first', 'next', 'used', 'held', 'ends', 'h:1')
  if s.err then
    if string.find(s.err, 'WRONGTYPE', 1, true) then
      return 'none'
    end
    -- Anything else comes again, and ends the script.
    redis.call('HMGET', key, 'layout')
  end
  if s[1] ~= '1' and (s[1] or redis.call('EXISTS', key) == 1) then
    return s[1] or 'none'
  end
  capacity = tonumber(s[2])
  last = tonumber(s[3] or 0)
  gone = s[4]
  waiting = tonumber(s[5] or 0)
  first = tonumber(s[6] or 1)
  next = tonumber(s[7] or 1)
  hadQueue = waiting > 0
  dirty = false
  single = s[11]
  if capacity == 1 then
    held = single and 1 or 0
    used = held
    ends = single and overOf(single) or 0
  elseif capacity then
    used = tonumber(s[8] or 0)
    held = tonumber(s[9] or 0)
    ends = tonumber(s[10] or 0)
  else
    used, held, ends = 0, 0, 0
  end
  hadCounts = s[8] or s[9] or s[10]
  return nil
end

local function save()
  if not dirty and life == 0 then
    return
  end
  dirty = false
  if held == 0 and waiting == 0 then
    redis.call('HDEL', key, 'capacity', 'used', 'held', 'ends', 'first', 'next', 'waiting')
    redis.call('HSET', key, 'layout', 1, 'last', string.format('%.0f', last))
  else
    redis.call('HSET', key, 'layout', 1, 'last', string.format('%.0f', last), 'capacity', capacity)
    if capacity > 1 then
      redis.call('HSET', key, 'used', used, 'held', held, 'ends', string.format('%.0f', ends))
      hadCounts = true
    elseif hadCounts then
      -- Of another kind that the name had before.
      redis.call('HDEL', key, 'used', 'held', 'ends')
      hadCounts = false
    end
    if waiting > 0 then
      redis.call('HSET', key, 'first', first, 'next', next, 'waiting', waiting)
    elseif hadQueue then
      redis.call('HDEL', key, 'first', 'next', 'waiting')
    end
  end
  hadQueue = waiting > 0
  if life > 0 then
    -- Never shortened: others may have asked for more. Every key has an end.
    local keep = math.ceil((life + retention) / 1000)
    if redis.call('PTTL', key) < keep then
      redis.call('PEXPIRE', key, string.format('%.0f', keep))
    end
    life = 0
  end
end

-- Makes the writes that follow allowed even if the memory is full, by a first one that always is. For those who are in
-- already: they need no more room than they have, and would lose their place.
local function admit()
  redis.call('HDEL', key, 'none')
end

-- The number and the record of the holder with that claim.
local function find(id)
  if held == 0 then
    return nil
  end
  local k, text = 1, single
  if capacity > 1 then
    k = redis.call('HGET', key, 'at:' .. id)
    text = k and redis.call('HGET', key, 'h:' .. k)
  end
  if text and string.sub(text, 1, #id + 1) == id .. ' ' then
    return tonumber(k), parseHolder(text)
  end
  return nil
end

-- The last holder takes the place of the one that leaves. Deletes first: that is allowed when the memory is full, and then
-- the rest of the script is too.
local function remove(k, h)
  local moved = k < held and redis.call('HMGET', key, 'h:' .. held, 'o:' .. held)
  redis.call('HDEL', key, 'h:' .. held, 'o:' .. held, 'at:' .. h.id)
  if moved then
    redis.call('HSET', key, 'h:' .. k, moved[1], 'o:' .. k, moved[2], 'at:' .. parseHolder(moved[1]).id, k)
  end
  single = nil
  held = held - 1
  used = used - h.units
  dirty = true
end

-- Removes the holders whose lease is over.
local function expire()
  if held == 0 or ends > now then
    return
  end
  local soonest = now + 1000000000000
  for k = held, 1, -1 do
    local text = redis.call('HGET', key, 'h:' .. k)
    local over = overOf(text)
    if over <= now then
      remove(k, parseHolder(text))
    elseif over < soonest then
      soonest = over
    end
  end
  ends = soonest
  dirty = true
end

-- Tokens grow with the clock and with `last`, so they grow even if the data was lost, and never run ahead of the clock.
local function grant(id, units, tokens, lease, owner, kind)
  local size = last >= now and 1 or math.min(tokens, LARGEST_BLOCK)
  local token = math.max(last + 1, now)
  local since = string.format('%.0f', now)
  local h = {
    id = id, units = units, token = token == now and since or string.format('%.0f', token), tokens = size, since = since,
    over = now + lease, kind = kind
  }
  last = token + size - 1
  dirty = true
  held = held + 1
  used = used + units
  if held == 1 or h.over < ends then
    ends = h.over
  end
  life = math.max(life, lease)
  single = formatHolder(h)
  redis.call('HSET', key, 'h:' .. held, single, 'o:' .. held, owner)
  if capacity > 1 then
    redis.call('HSET', key, 'at:' .. id, held)
  end
  return h
end

-- The entry at the head; moves `first` over the gaps that withdrawn claims have left.
local function head()
  local text = redis.call('HGET', key, 'q:' .. first)
  local looks = 0
  while not text do
    looks = looks + 1
    if looks > MOST_DEAD then
      more = 1
      return nil
    end
    local fields = {}
    for i = 1, 32 do
      fields[i] = 'q:' .. (first + i)
    end
    local found = redis.call('HMGET', key, unpack(fields))
    local steps = 32
    for i = 1, 32 do
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

-- The identity of this server process: another one has another clock.
local function run()
  local info = redis.call('INFO', 'server')
  -- Without a pattern, which would be tried at every letter before.
  local _, at = string.find(info, 'run_id:', 1, true)
  return string.match(info, '^%x+', at + 1)
end

-- Tells the waiter. Returns how many heard it; nil if it could not be sent, for an ACL or a slot that has moved.
local function publish(e, h, window)
  local command = string.sub(e.channel, 1, 1) == 's' and 'SPUBLISH' or 'PUBLISH'
  local text = string.format('%s %s %s %s %.0f %s %s', h.id, h.token, h.tokens, h.since, window, run(), key)
  local heard = redis.pcall(command, string.sub(e.channel, 3), text)
  if type(heard) == 'table' then
    failure = heard.err
    return nil
  end
  return heard
end

-- Grants from the head of the queue while the head fits. Others are told by a message, and have little time to answer; the
-- one that asks right now, `self`, gets all it asked for, and is returned. The work of one call is bounded.
local function promote(self)
  local dead, tries = 0, 0
  local own = nil
  while waiting > 0 do
    local text = head()
    if not text then
      return own
    end
    local seq, e = first, parseEntry(text)
    if e.id ~= self and e.alive <= now then
      if dead == MOST_DEAD then
        more = 1
        return own
      end
      dead = dead + 1
      drop(seq, e.id)
    elseif used + e.units > capacity then
      return own
    elseif e.id == self then
      drop(seq, e.id)
      own = grant(e.id, e.units, e.tokens, e.lease, e.owner, 'c')
    else
      if tries == MOST_TRIES then
        more = 1
        return own
      end
      tries = tries + 1
      drop(seq, e.id)
      local window = math.min(WINDOW, e.lease)
      local h = grant(e.id, e.units, e.tokens, window, e.owner, 'p')
      -- Record and token first, the message last: what is written stays, whatever becomes of the message.
      save()
      local heard = publish(e, h, window)
      if heard == nil then
        -- Nobody can be told; those who wait ask, and the head takes it then.
        remove(held, h)
        redis.call('HSET', key, 'q:' .. seq, text, 'p:' .. e.id, seq)
        waiting = waiting + 1
        first = seq
        return own
      elseif heard == 0 then
        -- Not there just now. It keeps its arrival number, and brings it along when it asks.
        remove(held, h)
      end
    end
  end
  return own
end

-- Was the claim ended?
local function isBuried(id)
  if not gone then
    return false
  end
  local _, at = string.find(gone, id .. '@', 1, true)
  if at then
    return tonumber(string.match(gone, '^%d+', at + 1)) > now
  end
  if tonumber(string.match(gone, '(%d+)$')) <= now then
    -- The newest is too old to matter.
    redis.call('HDEL', key, 'gone')
    gone = false
  end
  return false
end

-- Redis executes requests of connections that are closed already: one that comes later must not be granted.
local function bury(id)
  local kept = {}
  for text in string.gmatch(gone or '', '%S+') do
    if tonumber(string.match(text, '@(%d+)$')) > now and string.sub(text, 1, #id + 1) ~= id .. '@' then
      kept[#kept + 1] = text
    end
  end
  kept[#kept + 1] = string.format('%s@%.0f', id, now + BURIED)
  gone = table.concat(kept, ' ', math.max(1, #kept - MOST_BURIED + 1))
  redis.call('HSET', key, 'gone', gone)
  life = math.max(life, BURIED)
end
