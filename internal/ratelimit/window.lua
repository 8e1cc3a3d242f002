-- Counts one call, as window.go does. A window is kept as text: for every
-- second, oldest first, when its last call came and how many there were. It may
-- be forgotten a minute after the last call.
--
-- KEYS[1]  the window
-- ARGV     the present time, and the calls there is room for; times in
--          microseconds
-- Returns  1 if the call was counted, 0 if there was no room; the calls that
--          are left; and how long until the oldest are given back.
local minute, second = 60000000, 1000000
local now, room = tonumber(ARGV[1]), tonumber(ARGV[2])
local marks, newest = {}, now
for last, calls in string.gmatch(redis.call('GET', KEYS[1]) or '', '(%d+) (%d+)') do
	last = tonumber(last)
	if math.abs(now - last) < minute then
		marks[#marks + 1] = {last, tonumber(calls)}
		newest = math.max(newest, last)
		room = room - tonumber(calls)
	end
end
now = newest
if room <= 0 then
	return {0, 0, marks[1][1] + minute - now}
end

local mark = marks[#marks]
if not mark or math.floor(mark[1] / second) ~= math.floor(now / second) then
	mark = {now, 0}
	marks[#marks + 1] = mark
end
mark[1], mark[2] = now, mark[2] + 1
local text = {}
for i, m in ipairs(marks) do
	text[i] = string.format('%.0f %d', m[1], m[2])
end
redis.call('SET', KEYS[1], table.concat(text, ' '), 'PX', minute / 1000)
return {1, room - 1, marks[1][1] + minute - now}
