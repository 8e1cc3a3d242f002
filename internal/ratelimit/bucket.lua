-- Counts one call. A bucket is kept as the time at which it will be full again,
-- so one number is enough, and it may be forgotten when that time has come.
--
-- KEYS[1]  the bucket
-- ARGV     the present time, the time in which one call is refilled, and the
--          calls there is room for; times in microseconds
-- Returns  0, or how many microseconds to wait for room.
local now, step, room = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local full = math.max(tonumber(redis.call('GET', KEYS[1]) or now), now) + step
local wait = full - now - step * room
if wait > 0 then
	return math.ceil(wait)
end
redis.call('SET', KEYS[1], string.format('%.0f', full), 'PX', math.ceil((full - now) / 1000))
return 0
