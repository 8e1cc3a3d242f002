package main

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"time"
)

// measure starts the server twice (first start, later start), lets it idle,
// and then runs every load in rounds, a yardstick before and after each.
func measure(ctx context.Context, p plan) (_ *results, err error) {
	dir, err := os.MkdirTemp("", "portico-bench")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	s, err := newServer(p.binary, p.database, dir)
	if err != nil {
		return nil, err
	}
	r := &results{costs: map[string][]float64{}, rates: map[string][]float64{}}
	if r.firstStart, err = s.start(ctx); err != nil {
		return nil, err
	}
	if err := s.stop(); err != nil {
		return nil, err
	}
	if r.laterStart, err = s.start(ctx); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	time.Sleep(idleAfter)
	if r.idle, err = s.memory(); err != nil {
		return nil, err
	}
	loads, err := newLoads(ctx, s)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix("flood", p.only) {
		if r.quiet, r.flooded, err = underFlood(ctx, s, loads[0], p); err != nil {
			return nil, err
		}
	}
	loads = slices.DeleteFunc(loads, func(l load) bool { return !strings.HasPrefix(l.name, p.only) })
	for range p.rounds {
		if err := round(ctx, s, p, loads, r); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// checkingRow is what the check of a P-256 signature costs, beside the requests.
const checkingRow = "(a P-256 signature check)"

// burst is how many requests are sent between two yardsticks: few, as a shared
// machine changes its pace within seconds.
const burst = 250

// round measures every load once.
func round(ctx context.Context, s *server, p plan, loads []load, r *results) error {
	for _, l := range loads {
		if l.prepare != nil {
			if err := l.prepare(p.requests); err != nil {
				return err
			}
		}
		before, err := signature(p.clients)
		if err != nil {
			return err
		}
		for sent := 0; sent < p.requests; sent += burst {
			if before, err = l.measure(ctx, s, p.clients, min(burst, p.requests-sent), before, r); err != nil {
				return err
			}
		}
	}
	return nil
}

// measure sends n requests. The cost of one is the server's processor time over
// the mean of the yardsticks before and after; it returns the latter.
func (l load) measure(ctx context.Context, s *server, clients, n int, before time.Duration,
	r *results) (time.Duration, error) {
	used, err := s.cpu()
	if err != nil {
		return 0, err
	}
	took, err := l.run(ctx, n, clients)
	if err != nil {
		return 0, err
	}
	total, err := s.cpu()
	if err != nil {
		return 0, err
	}
	after, err := signature(clients)
	if err != nil {
		return 0, err
	}
	checking, err := verification(clients)
	if err != nil {
		return 0, err
	}
	r.costs[checkingRow] = append(r.costs[checkingRow], checking.Seconds()/after.Seconds())
	cost := (total - used).Seconds() / float64(n)
	r.costs[l.name] = append(r.costs[l.name], cost/((before+after).Seconds()/2))
	r.rates[l.name] = append(r.rates[l.name], float64(n)/took.Seconds())
	return after, nil
}
