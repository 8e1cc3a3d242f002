package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// flooders is how many sign-ins the flood keeps under way at once.
const flooders = 16

// flood sends password sign-ins until the context ends, each for a name and
// from an address of its own, so that no limit but that of the hash workers
// holds them back. It returns how many were answered.
func flood(ctx context.Context, s *server) int {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: flooders}}
	defer client.CloseIdleConnections()
	var sent, answered atomic.Int64
	var all sync.WaitGroup
	for range flooders {
		all.Go(func() {
			for ctx.Err() == nil {
				if tryPassword(ctx, client, s.url, sent.Add(1)) == nil {
					answered.Add(1)
				}
			}
		})
	}
	all.Wait()
	return int(answered.Load())
}

func tryPassword(ctx context.Context, client *http.Client, base string, n int64) error {
	form := url.Values{"username": {"nobody" + strconv.FormatInt(n, 10)}, "password": {"guess"}}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/login", strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("X-Forwarded-For", fmt.Sprintf("10.%d.%d.%d", n>>16&255, n>>8&255, n&255))
	response, err := client.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	_, err = io.Copy(io.Discard, response.Body)
	return err
}

// p99 sends n requests one after the other and returns the 99th percentile of
// how long the answers took.
func (l load) p99(ctx context.Context, n int) (time.Duration, error) {
	client := &http.Client{Timeout: 30 * time.Second}
	defer client.CloseIdleConnections()
	took := make([]time.Duration, n)
	for i := range took {
		began := time.Now()
		if err := l.once(ctx, client); err != nil {
			return 0, err
		}
		took[i] = time.Since(began)
	}
	slices.Sort(took)
	return took[n*99/100], nil
}

// underFlood returns the p99 of the token endpoint quiet and under a flood of
// sign-ins, in rounds that take turns.
func underFlood(ctx context.Context, token load, p plan) (quiet, flooded []float64, err error) {
	for range p.rounds {
		calm, err := token.p99(ctx, p.requests/4)
		if err != nil {
			return nil, nil, err
		}
		storm, end := context.WithCancel(ctx)
		var rain sync.WaitGroup
		rain.Go(func() { flood(storm, token.of) })
		time.Sleep(time.Second) // the workers are busy by now
		wet, err := token.p99(ctx, p.requests/4)
		end()
		rain.Wait()
		if err != nil {
			return nil, nil, err
		}
		quiet, flooded = append(quiet, ms(calm)), append(flooded, ms(wet))
	}
	return quiet, flooded, nil
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
