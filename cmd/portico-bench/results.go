package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"
)

// results are the figures of a run.
type results struct {
	firstStart, laterStart time.Duration
	idle                   int // bytes
	rows                   map[row]*figures
	quiet, flooded         []float64 // p99 of the token endpoint in ms, one entry a round
}

// row is a kind of request, and who was asked.
type row struct{ request, server string }

// figures are what bursts of one kind of request took.
type figures struct {
	costs []float64       // signatures a request, one entry a burst
	rates []float64       // requests a second, one entry a burst; 0: of what is no request
	each  []time.Duration // of all answers
}

func (r *results) at(of row) *figures {
	if r.rows[of] == nil {
		r.rows[of] = &figures{}
	}
	return r.rows[of]
}

func (f *figures) add(cost, rate float64, each ...time.Duration) {
	f.costs, f.rates, f.each = append(f.costs, cost), append(f.rates, rate), append(f.each, each...)
}

func (r *results) print(w io.Writer) {
	fmt.Fprintf(w, "first start to ready   %d ms\n", r.firstStart.Milliseconds())
	fmt.Fprintf(w, "later start to ready   %d ms\n", r.laterStart.Milliseconds())
	fmt.Fprintf(w, "idle memory            %.1f MB resident\n\n", float64(r.idle)/1e6)
	if len(r.quiet) > 0 {
		_, quiet, _ := spread(r.quiet)
		_, flooded, _ := spread(r.flooded)
		fmt.Fprintf(w, "token p99, quiet       %.1f ms\ntoken p99, under a flood of password sign-ins  %.1f ms\n\n", quiet,
			flooded)
	}
	fmt.Fprintf(w, "%-38s %-20s %-34s %10s %9s %9s\n", "request", "of", "CPU, in RSA-2048 signatures", "requests/s",
		"p50, ms", "p99, ms")
	for _, of := range slices.SortedFunc(maps.Keys(r.rows), func(a, b row) int {
		return cmp.Or(cmp.Compare(a.request, b.request), cmp.Compare(a.server, b.server))
	}) {
		f := r.rows[of]
		low, mid, high := spread(f.costs)
		_, rate, _ := spread(f.rates)
		fmt.Fprintf(w, "%-38s %-20s %.3f (%.3f to %.3f)%13s %10.0f %9.2f %9.2f\n", of.request, of.server, mid, low, high, "",
			rate, ms(f.percentile(50)), ms(f.percentile(99)))
	}
}

// percentile is how long so many of a hundred answers took at most; 0: there were none.
func (f *figures) percentile(n int) time.Duration {
	if len(f.each) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(f.each))[(len(f.each)-1)*n/100]
}

// spread returns the tenth percentile, the median and the ninetieth.
func spread(all []float64) (low, mid, high float64) {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[len(sorted)/10], sorted[len(sorted)/2], sorted[len(sorted)*9/10]
}
