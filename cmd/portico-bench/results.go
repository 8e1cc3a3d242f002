package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"time"
)

// results are the figures of a run.
type results struct {
	firstStart, laterStart time.Duration
	idle                   int                  // bytes
	costs                  map[string][]float64 // signatures a request, one entry a burst
	rates                  map[string][]float64 // requests a second, one entry a burst
	quiet, flooded         []float64            // p99 of the token endpoint in ms, one entry a round
}

func (r *results) print(w io.Writer) {
	fmt.Fprintf(w, "first start to ready   %d ms\n", r.firstStart.Milliseconds())
	fmt.Fprintf(w, "later start to ready   %d ms\n", r.laterStart.Milliseconds())
	fmt.Fprintf(w, "idle memory            %.1f MB resident, %v after ready\n\n", float64(r.idle)/1e6, idleAfter)
	if len(r.quiet) > 0 {
		_, quiet, _ := spread(r.quiet)
		_, flooded, _ := spread(r.flooded)
		fmt.Fprintf(w, "token p99, quiet       %.1f ms\ntoken p99, under a flood of password sign-ins  %.1f ms\n\n", quiet,
			flooded)
	}
	fmt.Fprintf(w, "%-38s %-34s %s\n", "request", "server CPU, in RSA-2048 signatures", "requests/s")
	for _, name := range slices.Sorted(maps.Keys(r.costs)) {
		low, mid, high := spread(r.costs[name])
		rate := 0.0 // of what is no request
		if len(r.rates[name]) > 0 {
			_, rate, _ = spread(r.rates[name])
		}
		fmt.Fprintf(w, "%-38s %.3f (%.3f to %.3f)%13s %.0f\n", name, mid, low, high, "", rate)
	}
}

// spread returns the tenth percentile, the median and the ninetieth.
func spread(all []float64) (low, mid, high float64) {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[len(sorted)/10], sorted[len(sorted)/2], sorted[len(sorted)*9/10]
}
