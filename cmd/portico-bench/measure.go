package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// measure starts the servers, and then runs every load in rounds, a yardstick before and
// after each burst.
func measure(ctx context.Context, p plan) (_ *results, err error) {
	dir, err := os.MkdirTemp("", "portico-bench")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	r := &results{rows: map[row]*figures{}}
	all, err := startFleet(ctx, p, dir, r)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, all.stop()) }()
	loads, err := all.loads(ctx)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix("flood", p.only) {
		if r.quiet, r.flooded, err = underFlood(ctx, loads[0], p); err != nil {
			return nil, err
		}
	}
	loads = slices.DeleteFunc(loads, func(l load) bool { return !strings.HasPrefix(l.name, p.only) })
	slices.SortStableFunc(loads, func(a, b load) int { return strings.Compare(a.name, b.name) }) // by turns
	for range p.rounds {
		if err := round(ctx, p, loads, r); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// checkingRow is what the check of a P-256 signature costs, beside the requests.
var checkingRow = row{"(a P-256 signature check)", ""}

// burst is how many requests are sent between two yardsticks: few, as a shared
// machine changes its pace within seconds.
const burst = 250

// round measures every load once.
func round(ctx context.Context, p plan, loads []load, r *results) error {
	for _, l := range loads {
		p := p.as(l)
		if l.prepare != nil {
			if err := l.prepare(p.requests); err != nil {
				return err
			}
		}
		before, err := signature(p.pace.clients)
		if err != nil {
			return err
		}
		for sent := 0; sent < p.requests; sent += burst {
			if before, err = l.measure(ctx, p.pace, min(burst, p.requests-sent), before, r); err != nil {
				return err
			}
		}
	}
	return nil
}

// measure sends n requests. The cost of one is the server's processor time over
// the mean of the yardsticks before and after; it returns the latter.
func (l load) measure(ctx context.Context, p pace, n int, before time.Duration, r *results) (time.Duration, error) {
	used, err := l.of.cpu()
	if err != nil {
		return 0, err
	}
	took, each, err := l.run(ctx, n, p)
	if err != nil {
		return 0, fmt.Errorf("%s: %w: %s", l.of.name, err, l.of.log.String())
	}
	total, err := l.of.cpu()
	if err != nil {
		return 0, err
	}
	after, err := signature(p.clients)
	if err != nil {
		return 0, err
	}
	checking, err := verification(p.clients)
	if err != nil {
		return 0, err
	}
	r.at(checkingRow).add(checking.Seconds()/after.Seconds(), 0)
	cost := (total - used).Seconds() / float64(n)
	r.at(row{l.name, l.of.name}).add(cost/((before+after).Seconds()/2), float64(n)/took.Seconds(), each...)
	return after, nil
}

// as is the plan for a load.
func (p plan) as(l load) plan {
	p.requests = max(1, p.requests/max(1, l.every))
	p.pace.clients = cmp.Or(l.clients, p.pace.clients)
	return p
}
