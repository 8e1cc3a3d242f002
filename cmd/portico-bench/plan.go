package main

import "time"

// plan is what to measure.
type plan struct {
	binaries  []string   // Porticos
	databases []database // one each
	peer      string     // the folder node_modules with npm's oidc-provider; empty: without
	outsider  outsider
	only      string // the kinds of requests whose names begin so
	requests  int
	items     int // in the folder that is listed
	rounds    int
	pace      pace
	idle      time.Duration // how long after being ready the idle memory is read
}

// idleAfter is how long a server that is measured for its memory is let alone.
const idleAfter = 10 * time.Second
