-- What the scripts share: the state of one name, and the steps that change it. Script inserts it into the scripts.
--
-- One hash has the whole state, so that during a slot migration one server has all of it:
--   layout                  LAYOUT; a key with another one is left alone
--   last                    the end of the last block of tokens that was reserved
--   capacity                only while there is a holder or a waiter: how many units there are
--   h:K                     holder number K; K is 1 to `held`, without gaps, and the holders are a heap: the lease of number K does
--                           not expire before that of its parent, so h:1 is the first to expire
--   o:1                     the owner of the holder, if the capacity is 1
-- and only if the capacity is above 1:
--   used, held              units and number of the holders
--   at:ID, o:TOKEN          the number of the holder with that claim, and the claim and the owner of the holder whose tokens begin
--                           with that one
--   shift                   by how much the server's clock was set back since the present holders came, if it was
-- and for every capacity:
--   q:N, p:ID               the entry with arrival number N, and the arrival number of a queued claim
--   first, next, waiting    where to look for the head, the next arrival number, and how many wait; only while there are waiters
--   x:ID, e:N               the tombstone of a claim that ended while a request of the claim may have been pending, and the
--                           tombstones in the order of their expiry
--   tombstones              the first and the next number of these, only while there are any
--
-- Invariant: the units of all holders add up to at most the capacity; a claim is a holder or waits or neither. A script is
-- atomic, so it holds between scripts if each step keeps it. Only `grant` makes a holder, and only of the head of the queue,
-- or of a new claim when the queue is empty, and only if it fits: so no claim overtakes the head. A script that frees units calls
-- `promote`, so no waiter is left in the queue that fits.
--
-- Expired holders count in `used` until they are removed, and dead waiters in `waiting`. A script removes a limited number, and sets
-- `more` if there are others: the client calls again. So no claim is refused for good because of them.
--
-- A clock that was set back. If the server's clock is behind the last write of the first holder to expire, then the time since
-- that write is not known: it is taken to be zero. So no lease expires before its holder believes so, and that one expires within
-- its own length. With a capacity of 1 the record is changed; otherwise all leases count on `clock`, the server's clock plus
-- `shift`, and that grows. A clock that is set forward, or back by less than the time since that write, is not noticed.
--
-- Times and tokens are microseconds. They are below 2^53, so numbers are exact; but `..` keeps only 14 digits, so they are written by
-- '%.0f' or as integers. Most of the time of a script is spent on parsing: so numbers are parsed where they are needed, and what is
-- only copied stays a string.

local CONFIRMED = 'c' -- the kind of a holder whose client knows of the grant
local UNCONFIRMED = 'p' -- granted by a message, and not renewed since
local WINDOW = 1500000 -- the lease of a grant by message: longer than the time between two polls of the head
local TOMBSTONE_LIFE = 300000000
local MOST_TOMBSTONES = 16
local LARGEST_BLOCK = 64
local MOST_DEAD = 32
local MOST_MESSAGES = 8
local MOST_EXPIRED = 16
local TAIL = 64 -- so many holders at the end of the heap are removed at the cost of TAIL_COST elsewhere
local TAIL_COST = 4
local ARITY = 4 -- children of a holder in the heap
local CHUNK = 32 -- entries of the queue that are read at once

local capacity, last, used, held, first, next, waiting, tombstones
local top -- the record of the first holder to expire
local firstExpiry -- when that is; 0 without holders
local shift, savedShift, clock
local rebased -- the record in `top` was changed because the clock was set back
local keepFor = 0 -- how long the key is needed for what this script has done, without the retention
local more = 0 -- 1 if there is more to do, but this script has reached its limit
local stopped = false -- waiters that may be dead were left in the queue
local failure = '' -- why a message could not be sent
local hadQueue, hadCounts
local dirty = false -- something has changed that `save` has not written
-- How much this script has done, for all its keys together.
local dead, messages, expired = 0, 0, 0

-- The expiry comes first, in 16 digits; `lease` is the length of the lease when it was written last.
local function parseHolder(text)
  local expiry, id, lease, units, token, tokens, since, kind =
    string.match(text, '^(%d+) (%S+) (%d+) (%d+) (%d+) (%d+) (%d+) (%a)$')
  return {
    expiry = tonumber(expiry), id = id, lease = tonumber(lease), units = tonumber(units), token = token, tokens = tokens,
    since = since, kind = kind
  }
end

local function formatHolder(h)
  return string.format('%.0f %s %.0f %d %s %s %s %s',
    h.expiry, h.id, h.lease, h.units, h.token, h.tokens, h.since, h.kind)
end

local function expiryOf(text)
  return tonumber(string.sub(text, 1, 16))
end

local function extend(h, lease)
  h.expiry = math.max(h.expiry, clock + lease)
  h.lease = h.expiry - clock
end

local function shorten(h, lease)
  h.expiry = math.min(h.expiry, clock + lease)
  h.lease = h.expiry - clock
end

local function parseEntry(text)
  local id, units, tokens, lease, alive, since, channel, owner =
    string.match(text, '^(%S+) (%d+) (%d+) (%d+) (%d+) (%d+) (%S+) (.*)$')
  return {
    id = id, units = tonumber(units), tokens = tonumber(tokens), lease = tonumber(lease),
    alive = tonumber(alive), since = since, channel = channel, owner = owner
  }
end

local function setTop(text)
  top = text
  firstExpiry = text and expiryOf(text) or 0
  rebased = false
  if not text then
    shift = 0
    clock = now
  end
end

-- Reads the state; returns the layout if the key is not a lock of this version.
local function load()
  local s = redis.pcall('HMGET', key,
    'layout', 'capacity', 'last', 'tombstones', 'waiting', 'first', 'next', 'used', 'held', 'shift', 'h:1')
  if s.err then
    if string.find(s.err, 'WRONGTYPE', 1, true) then
      return 'none'
    end
    -- Any other error occurs again here, and ends the script.
    redis.call('HMGET', key, 'layout')
  end
  if s[1] ~= LAYOUT and (s[1] or redis.call('EXISTS', key) == 1) then
    return s[1] or 'none'
  end
  capacity = tonumber(s[2])
  last = tonumber(s[3] or 0)
  tombstones = s[4]
  waiting = tonumber(s[5] or 0)
  first = tonumber(s[6] or 1)
  next = tonumber(s[7] or 1)
  hadQueue = waiting > 0
  hadCounts = s[8] or s[9]
  dirty = false
  savedShift = tonumber(s[10] or 0)
  shift = savedShift
  clock = now + shift
  setTop(capacity and s[11] or nil)
  if not top then
    used, held = 0, 0
  elseif capacity == 1 then
    used, held = 1, 1
  else
    used, held = tonumber(s[8]), tonumber(s[9])
  end
  if top then
    local lease = string.match(top, '^%S+ (%d+)', 18)
    if firstExpiry - lease > clock then
      dirty = true
      if capacity == 1 then
        setTop(string.format('%.0f', now + lease) .. string.sub(top, 17))
        rebased = true
      else
        clock = firstExpiry - lease
        shift = clock - now
      end
    end
  end
  return nil
end

local function save()
  if not dirty and keepFor == 0 then
    return
  end
  dirty = false
  if held == 0 and waiting == 0 then
    redis.call('HDEL', key, 'capacity', 'used', 'held', 'shift', 'first', 'next', 'waiting')
    redis.call('HSET', key, 'layout', LAYOUT, 'last', string.format('%.0f', last))
  else
    redis.call('HSET', key, 'layout', LAYOUT, 'last', string.format('%.0f', last), 'capacity', capacity)
    if capacity > 1 then
      redis.call('HSET', key, 'used', used, 'held', held)
      hadCounts = true
      if shift ~= savedShift then
        redis.call('HSET', key, 'shift', string.format('%.0f', shift))
        savedShift = shift
      end
    elseif hadCounts then
      -- The name had another capacity before.
      redis.call('HDEL', key, 'used', 'held', 'shift')
      hadCounts = false
    end
    if rebased then
      redis.call('HSET', key, 'h:1', top)
      rebased = false
    end
    if waiting > 0 then
      redis.call('HSET', key, 'first', first, 'next', next, 'waiting', waiting)
    elseif hadQueue then
      redis.call('HDEL', key, 'first', 'next', 'waiting')
    end
  end
  hadQueue = waiting > 0
  if keepFor > 0 then
    -- Never shortened: other claims may need more. Every key has an expiry.
    local keep = math.ceil((keepFor + retention) / 1000)
    if redis.call('PTTL', key) < keep then
      redis.call('PEXPIRE', key, string.format('%.0f', keep))
    end
    keepFor = 0
  end
end

-- Allows the writes that follow even if the memory is full, by a first write that is always allowed. For claims that hold or wait
-- already: they need no more memory than they have, and would be lost.
local function allowWritesIfFull()
  redis.call('HDEL', key, 'none')
end

-- Adds a record at number k to the fields that are written.
local function put(writes, k, text)
  writes[#writes + 1] = 'h:' .. k
  writes[#writes + 1] = text
  if capacity > 1 then
    writes[#writes + 1] = 'at:' .. string.match(text, '^%S+', 18)
    writes[#writes + 1] = k
  end
  if k == 1 then
    setTop(text)
  end
end

-- Writes a record at number k, or further up or down the heap, where its expiry belongs; with other fields. Returns its number.
local function place(k, text, writes)
  local expiry = expiryOf(text)
  local start = k
  while k > 1 do
    local up = math.floor((k - 2) / ARITY) + 1
    local parent = redis.call('HGET', key, 'h:' .. up)
    if expiryOf(parent) <= expiry then
      break
    end
    put(writes, k, parent)
    k = up
  end
  -- A record that was moved up expires before all below it.
  local child = k == start and ARITY * (k - 1) + 2 or held + 1
  while child <= held do
    local fields = {}
    for i = child, math.min(child + ARITY - 1, held) do
      fields[#fields + 1] = 'h:' .. i
    end
    local children = redis.call('HMGET', key, unpack(fields))
    local soonest, soonestExpiry = nil, expiry
    for i = 1, #children do
      local childExpiry = expiryOf(children[i])
      if childExpiry < soonestExpiry then
        soonest, soonestExpiry = i, childExpiry
      end
    end
    if not soonest then
      break
    end
    put(writes, k, children[soonest])
    k = child + soonest - 1
    child = ARITY * (k - 1) + 2
  end
  put(writes, k, text)
  redis.call('HSET', key, unpack(writes))
  return k
end

-- The last holder gets the number of the one that is removed. Deletes first: that is allowed when the memory is full, and then
-- the rest of the script is allowed, too.
local function remove(k, h)
  local moved = k < held and redis.call('HGET', key, 'h:' .. held)
  if capacity > 1 then
    redis.call('HDEL', key, 'h:' .. held, 'at:' .. h.id, 'o:' .. h.token)
  else
    redis.call('HDEL', key, 'h:1', 'o:1')
  end
  held = held - 1
  used = used - h.units
  dirty = true
  if moved then
    place(k, moved, {})
  elseif held == 0 then
    setTop(nil)
  end
end

-- Removes expired holders from the end of the heap, where no other has to be moved.
local function cutTail()
  local fields = {}
  for k = held, math.max(1, held - TAIL + 1), -1 do
    fields[#fields + 1] = 'h:' .. k
  end
  local removed = {}
  for _, text in ipairs(redis.call('HMGET', key, unpack(fields))) do
    if expiryOf(text) > clock then
      break
    end
    local id, units, token = string.match(text, '^(%S+) %d+ (%d+) (%d+)', 18)
    removed[#removed + 1] = 'h:' .. held
    removed[#removed + 1] = 'at:' .. id
    removed[#removed + 1] = 'o:' .. token
    held = held - 1
    used = used - units
  end
  redis.call('HDEL', key, unpack(removed))
  dirty = true
  if held == 0 then
    setTop(nil)
  end
end

-- Removes the holders whose lease has expired, up to the limit of one script.
local function expire()
  while held > 0 and firstExpiry <= clock do
    if expired >= MOST_EXPIRED then
      more = 1
      return
    end
    if held > 1 and expiryOf(redis.call('HGET', key, 'h:' .. held)) <= clock then
      expired = expired + TAIL_COST
      cutTail()
    else
      expired = expired + 1
      remove(1, parseHolder(top))
    end
  end
end

-- Whether this script has left expired holders or dead waiters that may block a claim.
local function unfinished()
  return stopped or held > 0 and firstExpiry <= clock
end

-- The number and the record of the holder with that claim, which may have expired.
local function find(id)
  if held == 0 then
    return nil
  end
  local k, text = 1, top
  if capacity > 1 then
    k = tonumber(redis.call('HGET', key, 'at:' .. id) or nil)
    text = k and redis.call('HGET', key, 'h:' .. k)
  end
  local h = text and parseHolder(text)
  if not h or h.id ~= id then
    return nil
  end
  return k, h
end

-- The same for a script that ends or replaces the record: one that has expired is removed.
local function findLive(id)
  local k, h = find(id)
  if h and h.expiry <= clock then
    remove(k, h)
    return nil
  end
  return k, h
end

-- Tokens grow with the clock and with `last`, so they grow even if the data was lost, and never run ahead of the clock.
local function grant(id, units, tokens, lease, owner, kind)
  local size = last >= now and 1 or math.min(tokens, LARGEST_BLOCK)
  local token = math.max(last + 1, now)
  local h = {
    id = id, units = units, token = string.format('%.0f', token), tokens = size, since = string.format('%.0f', clock),
    expiry = clock + lease, lease = lease, kind = kind
  }
  last = token + size - 1
  dirty = true
  held = held + 1
  used = used + units
  keepFor = math.max(keepFor, lease)
  h.k = place(held, formatHolder(h), capacity > 1 and {'o:' .. h.token, id .. ' ' .. owner} or {'o:1', owner})
  return h
end
