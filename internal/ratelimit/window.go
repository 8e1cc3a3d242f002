package ratelimit

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

const minute = time.Minute

// mark is the calls of one second, and when the last of them came.
type mark struct {
	last  int64 // microseconds of Unix time
	calls int
}

// window is the calls of the last minute, oldest first: at most sixty full
// seconds and the running one. A second's calls count until the last of them is
// a minute old, so that no sixty seconds ever hold more than the limit.
type window struct {
	marks []mark
	total int
}

// take counts a call at now unless the window is full.
func (w *window) take(now int64, limit int) verdict {
	now = w.forget(now)
	taken := w.total < limit
	if taken {
		w.add(now)
	}
	return verdict{taken, max(limit-w.total, 0), micros(w.marks[0].last-now) + minute}
}

// appendUsage appends the window's usage when there is any.
func (w *window) appendUsage(all []Usage, c caller, rates Rates, now int64) []Usage {
	w.forget(now)
	limit := rates[c.class]
	if w.total == 0 || limit == 0 { // forgotten by now, or a limit of before
		return all
	}
	return append(all, Usage{Class: c.class, Key: c.key, Used: min(w.total, limit), Limit: limit})
}

// forget drops what is older than a minute, and what lies further than that
// ahead: the clock was wrong then. It returns the time to go on with, which
// never runs back.
func (w *window) forget(now int64) int64 {
	w.marks = slices.DeleteFunc(w.marks, func(m mark) bool {
		if micros(max(now-m.last, m.last-now)) < minute {
			return false
		}
		w.total -= m.calls
		return true
	})
	if n := len(w.marks); n > 0 {
		return max(now, w.marks[n-1].last)
	}
	return now
}

func (w *window) add(now int64) {
	w.total++
	if n := len(w.marks); n > 0 && second(w.marks[n-1].last) == second(now) {
		w.marks[n-1] = mark{now, w.marks[n-1].calls + 1}
		return
	}
	w.marks = append(w.marks, mark{now, 1})
}

// parseWindow reads what window.lua writes; of a text that it did not write it
// makes what it can.
func parseWindow(text string) *window {
	w := new(window)
	numbers := strings.Fields(text)
	for i := 0; i+1 < len(numbers); i += 2 {
		last, _ := strconv.ParseInt(numbers[i], 10, 64)
		calls, _ := strconv.Atoi(numbers[i+1])
		w.marks = append(w.marks, mark{last, calls})
		w.total += calls
	}
	return w
}

func micros(n int64) time.Duration { return time.Duration(n) * time.Microsecond }

func second(micros int64) int64 { return micros / int64(time.Second/time.Microsecond) }
