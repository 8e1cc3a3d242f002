package main

import (
	"time"
)

// plan is what to measure.
type plan struct {
	binary, database, only    string
	requests, clients, rounds int
}

// idleAfter is how long after being ready the idle memory is read.
const idleAfter = 10 * time.Second
