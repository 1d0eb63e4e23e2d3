-- The holders and the wait queue of a name, at one moment. Writes nothing.
-- KEYS: the name. ARGV: see Script.INSPECT; `lastHolder` is the number of the last holder to read, 0 for the last there is.
-- Returns {0} for a name that is not in use, or {1, the time that leases count on, capacity, how many wait, {record, `o:`, …},
-- {entry, …}, the number of the last holder to read next, 0 if that is not needed, the server's clock}. An entry has the time since
-- which its claim waits, on the server's clock.
--@constants
local key = KEYS[1]
--@arguments
local retention = 0
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

-- Fast path: a lock whose holder has expired, without waiters. Crashed processes may leave many.
local s = redis.pcall('HMGET', key, 'layout', 'capacity', 'waiting', 'h:1')
if s[1] == LAYOUT and s[2] == '1' and not s[3] and s[4] and tonumber(string.sub(s[4], 1, 16)) <= now then
  return {0}
end

--@state

local MOST_HOLDERS = 400 -- about 2 ms
local MOST_WAITERS = 100
local MOST_NUMBERS = 2048

if load() or not capacity then
  return {0}
end

local function read(kind, from, to)
  local fields = {}
  for i = from, to do
    fields[#fields + 1] = kind .. i
  end
  return redis.call('HMGET', key, unpack(fields))
end

local function ownersOf(records)
  local fields = {}
  for i, record in ipairs(records) do
    fields[i] = 'o:' .. (capacity == 1 and '1' or string.match(record, '^%S+ %d+ %d+ (%d+)', 18))
  end
  return redis.call('HMGET', key, unpack(fields))
end

local holders = {}
-- From the end: the expired ones are at the beginning, or at least more of them.
local k = lastHolder == '0' and held or math.min(held, tonumber(lastHolder))
local least = math.max(1, k - MOST_HOLDERS + 1)
while k >= least do
  local from = math.max(least, k - CHUNK + 1)
  local live = {}
  for _, record in ipairs(k == 1 and {top} or read('h:', from, k)) do
    if expiryOf(record) > clock then
      live[#live + 1] = record
    end
  end
  for i, owner in ipairs(#live > 0 and ownersOf(live) or {}) do
    holders[#holders + 1] = live[i]
    holders[#holders + 1] = owner
  end
  k = from - 1
end
local entries = {}
local seq = first
while #entries < math.min(waiting, MOST_WAITERS) and seq < math.min(next, first + MOST_NUMBERS) do
  for _, entry in ipairs(read('q:', seq, math.min(next - 1, seq + CHUNK - 1))) do
    if entry and #entries < MOST_WAITERS then
      entries[#entries + 1] = entry
    end
  end
  seq = seq + CHUNK
end
return {1, clock, capacity, waiting, holders, entries, #holders == 0 and k or 0, now}
