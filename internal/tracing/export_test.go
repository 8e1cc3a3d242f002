package tracing

import "time"

// Hurry has a tracer that has made nothing yet try again, and end, after so long.
func (t *Tracer) Hurry(pause, flush time.Duration) { t.pause, t.flush = pause, flush }

// Queued is how many spans may wait, Most how many go at once.
const (
	Queued = queued
	Most   = most
)
