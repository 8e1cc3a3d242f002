package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
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
	of, err := newYardstick(p.pace.clients, p.requests)
	if err != nil {
		return nil, err
	}
	for _, l := range loads {
		if err := l.warm(ctx, p.as(l)); err != nil {
			return nil, err
		}
	}
	for range p.rounds {
		if err := round(ctx, p, of, loads, r); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// burst is how many requests are sent between two yardsticks: few, as a shared
// machine changes its pace within seconds, but so many that each client has some.
func (p pace) burst() int { return max(250, 16*p.clients) }

// round measures every load once.
func round(ctx context.Context, p plan, of *yardstick, loads []load, r *results) error {
	for _, l := range loads {
		p := p.as(l)
		if err := l.ready(p.requests); err != nil {
			return err
		}
		if err := l.measure(ctx, p, of, r); err != nil {
			return fmt.Errorf("%s: %w: %s", l.of.name, err, l.of.lastWords())
		}
	}
	return of.compare(r)
}

// warming is how many requests each client sends before anything is measured: PostgreSQL
// plans a prepared statement anew the first five times on each connection, which is most of
// what a load of few requests would cost, and a just-in-time compiler looks on as long.
const warming = 10

// warm sends what is not measured.
func (l load) warm(ctx context.Context, p plan) error {
	n := warming * p.pace.clients
	if err := l.ready(n); err != nil {
		return err
	}
	client, err := l.of.open(ctx, p.pace)
	if err != nil {
		return err
	}
	defer client.CloseIdleConnections()
	if _, _, err = l.run(ctx, client, n, pace{clients: p.pace.clients}); err != nil {
		return fmt.Errorf("%s: %w: %s", l.of.name, err, l.of.lastWords())
	}
	return nil
}

// ready makes what n requests will send.
func (l load) ready(n int) error {
	if l.prepare == nil {
		return nil
	}
	return l.prepare(n)
}

// measure sends what the plan says in bursts. The cost of a request is the processor time of
// server and database over the mean of the yardsticks before and after its burst.
func (l load) measure(ctx context.Context, p plan, of *yardstick, r *results) error {
	client, err := l.of.open(ctx, p.pace)
	if err != nil {
		return err
	}
	defer client.CloseIdleConnections()
	before, err := of.signature()
	for sent := 0; sent < p.requests && err == nil; sent += p.pace.burst() {
		n := min(p.pace.burst(), p.requests-sent)
		used, usedErr := l.of.cpu()
		took, each, runErr := l.run(ctx, client, n, p.pace)
		total, totalErr := l.of.cpu()
		after, afterErr := of.signature()
		if err = errors.Join(usedErr, runErr, totalErr, afterErr); err == nil {
			cost := (total - used).Seconds() / float64(n)
			r.at(row{l.name, l.of.name}).add(cost/((before+after).Seconds()/2), float64(n)/took.Seconds(), each...)
		}
		before = after
	}
	return err
}

// open returns what sends to the server over connections that are kept, and that are made
// before anything is measured.
func (s *server) open(ctx context.Context, p pace) (*http.Client, error) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: p.clients}, Timeout: 30 * time.Second}
	greeting := load{of: s, name: "keys", request: s.get(s.paths.keys, "")}
	_, _, err := greeting.run(ctx, client, 2*p.clients, pace{clients: p.clients})
	return client, err
}

// as is the plan for a load.
func (p plan) as(l load) plan {
	p.requests = max(1, p.requests/max(1, l.every))
	p.pace.clients = cmp.Or(l.clients, p.pace.clients)
	return p
}
