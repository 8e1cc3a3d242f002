package ratelimit_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/harness/redistest"
	"github.com/portico-id/portico/internal/ratelimit"
)

// onBoth runs a test on limits in memory and on limits in Redis.
func onBoth(t *testing.T, rates ratelimit.Rates, test func(t *testing.T, h *house, l *ratelimit.Limits)) {
	t.Run("memory", func(t *testing.T) {
		h := newHouse()
		test(t, h, h.server(t, rates, ""))
	})
	t.Run("redis", func(t *testing.T) {
		h := newHouse()
		l := h.server(t, rates, redistest.Start(t).URL())
		test(t, h, l)
		if h.log.count("does not answer") > 0 {
			t.Errorf("Redis was not used: %s", h.log.text.String())
		}
	})
}

// Rules: LIMIT-1, SERVER-9
func TestTheSpecificationsRatesAreTheDefault(t *testing.T) {
	want := ratelimit.Rates{"authorize": 500, "token": 500, "introspect": 500, "logout": 500, "revoke": 100,
		"accounts": 10, "apps": 10, "register": 10, "scim": 3000}
	if diff := cmp.Diff(want, ratelimit.DefaultRates()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	h := newHouse()
	l := h.server(t, ratelimit.DefaultRates(), "")
	for class, rate := range want {
		if got := allowed(t, l, class, "client", rate+10); got != rate {
			t.Errorf("%s: %d calls at once were allowed, want %d", class, got, rate)
		}
	}
}

// Rule: LIMIT-4
func TestAQuietCallerMayCallAsOftenAtOnceAsTheLimitSaysAndTheRestIsRefused(t *testing.T) {
	onBoth(t, ratelimit.Rates{"token": 30}, func(t *testing.T, _ *house, l *ratelimit.Limits) {
		if got := allowed(t, l, "token", "client", 40); got != 30 {
			t.Errorf("%d calls were allowed, want 30", got)
		}
	})
}

// Rule: LIMIT-4
func TestNoSixtySecondsHoldMoreCallsThanTheLimitSaysAndHardlyFewer(t *testing.T) {
	const limit, length = 30, 20 * time.Minute
	onBoth(t, ratelimit.Rates{"token": limit}, func(t *testing.T, h *house, l *ratelimit.Limits) {
		dice := rand.New(rand.NewPCG(1, 2))
		start := h.source.Now()
		var through []time.Time
		for h.source.Now().Sub(start) < length {
			for range dice.IntN(6) + 1 {
				if _, err := l.Allow(t.Context(), "token", "client"); err == nil {
					through = append(through, h.source.Now())
				}
			}
			h.clock.Advance(time.Duration(dice.Int64N(int64(time.Second))))
		}
		for i := limit; i < len(through); i++ {
			if took := through[i].Sub(through[i-limit]); took < time.Minute {
				t.Fatalf("%d calls were allowed in %s, from %s", limit+1, took, through[i-limit])
			}
		}
		if want := int(length.Minutes()) * limit * 95 / 100; len(through) < want {
			t.Errorf("%d calls were allowed in %s, want at least %d", len(through), length, want)
		}
	})
}

// Rule: LIMIT-4
func TestWhatWasUsedComesBackAMinuteLater(t *testing.T) {
	onBoth(t, ratelimit.Rates{"token": 30}, func(t *testing.T, h *house, l *ratelimit.Limits) {
		allowed(t, l, "token", "client", 10)
		h.clock.Advance(20 * time.Second)
		for _, step := range []struct {
			pass time.Duration
			want int
		}{
			{0, 20}, {39999 * time.Millisecond, 0}, {time.Millisecond, 10}, {19999 * time.Millisecond, 0},
			{time.Millisecond, 20}, {time.Hour, 30},
		} {
			h.clock.Advance(step.pass)
			if got := allowed(t, l, "token", "client", 40); got != step.want {
				t.Errorf("%s later %d calls were allowed, want %d", step.pass, got, step.want)
			}
		}
	})
}

// Rule: LIMIT-7
func TestEveryAnswerSaysWhatIsLeftAndItIsTrue(t *testing.T) {
	onBoth(t, ratelimit.Rates{"token": 3}, func(t *testing.T, h *house, l *ratelimit.Limits) {
		for i, want := range []ratelimit.Standing{
			{Class: "token", Limit: 3, Left: 2, Reset: 60 * time.Second},
			{Class: "token", Limit: 3, Left: 1, Reset: 50 * time.Second},
			{Class: "token", Limit: 3, Left: 0, Reset: 40 * time.Second},
			{Class: "token", Limit: 3, Left: 0, Reset: 30 * time.Second}, // refused
			{Class: "token", Limit: 3, Left: 0, Reset: 20 * time.Second}, // refused
			{Class: "token", Limit: 3, Left: 0, Reset: 10 * time.Second}, // refused
			{Class: "token", Limit: 3, Left: 0, Reset: 10 * time.Second}, // the first has come back
		} {
			got, _ := l.Allow(t.Context(), "token", "client")
			if got != want {
				t.Errorf("call %d: %+v, want %+v", i+1, got, want)
			}
			h.clock.Advance(10 * time.Second)
		}
	})
}

// A clock that ran ahead holds nobody up for longer than it has to.
func TestAClockThatIsSetBackIsForgiven(t *testing.T) {
	onBoth(t, ratelimit.Rates{"token": 5}, func(t *testing.T, h *house, l *ratelimit.Limits) {
		allowed(t, l, "token", "client", 5)
		h.clock.Advance(-time.Second)
		if got := allowed(t, l, "token", "client", 5); got != 0 {
			t.Errorf("a clock that went back by a second allows %d calls more", got)
		}
		h.clock.Advance(-time.Hour)
		if got := allowed(t, l, "token", "client", 6); got != 5 {
			t.Errorf("a clock that went back by an hour allows %d calls, want 5", got)
		}
	})
}

// Rules: LIMIT-3, SERVER-9
func TestARefusalSaysWhenThereIsRoomAndItIsTrue(t *testing.T) {
	onBoth(t, ratelimit.Rates{"revoke": 7}, func(t *testing.T, h *house, l *ratelimit.Limits) {
		allowed(t, l, "revoke", "client", 7)
		h.clock.Advance(3 * time.Second)
		_, err := l.Allow(t.Context(), "revoke", "client")
		wait := fault.From(err).RetryAfter
		if !fault.HasReason(err, "rate_limited") || wait <= 0 || wait != 57*time.Second {
			t.Fatalf("refused with %v, to wait %s", err, wait)
		}
		h.clock.Advance(wait - time.Microsecond)
		if got := allowed(t, l, "revoke", "client", 1); got != 0 {
			t.Errorf("a moment before the wait of %s there is room", wait)
		}
		h.clock.Advance(time.Microsecond)
		if got := allowed(t, l, "revoke", "client", 1); got != 1 {
			t.Errorf("after the wait of %s there is no room", wait)
		}
	})
}

func TestARefusedCallCostsNothing(t *testing.T) {
	onBoth(t, ratelimit.Rates{"token": 60}, func(t *testing.T, h *house, l *ratelimit.Limits) {
		allowed(t, l, "token", "client", 60)
		h.clock.Advance(30 * time.Second)
		allowed(t, l, "token", "client", 600)
		h.clock.Advance(30 * time.Second)
		if got := allowed(t, l, "token", "client", 70); got != 60 {
			t.Errorf("%d calls half a minute after a flood that was refused, want 60", got)
		}
	})
}

func TestClassesAndKeysAreCountedApart(t *testing.T) {
	onBoth(t, ratelimit.Rates{"token": 2, "revoke": 1}, func(t *testing.T, _ *house, l *ratelimit.Limits) {
		for _, tt := range []struct {
			class ratelimit.Class
			key   string
			want  int
		}{{"token", "one", 2}, {"token", "two", 2}, {"revoke", "one", 1}, {"token", "one", 0}} {
			if got := allowed(t, l, tt.class, tt.key, 5); got != tt.want {
				t.Errorf("%s of %s: %d calls, want %d", tt.class, tt.key, got, tt.want)
			}
		}
	})
}

// Rule: LIMIT-1
func TestRateZeroAnAbsentClassAndNoLimitsAtAllAllowEverything(t *testing.T) {
	h := newHouse()
	var none *ratelimit.Limits
	for name, l := range map[string]*ratelimit.Limits{
		"zero": h.server(t, ratelimit.Rates{"token": 0}, ""), "absent": h.server(t, nil, ""), "nil": none,
	} {
		if got := allowed(t, l, "token", "client", 2000); got != 2000 {
			t.Errorf("%s: %d of 2000 calls", name, got)
		}
	}
	if none.Usage(t.Context(), 10) != nil || none.Close() != nil {
		t.Error("nil limits have a usage or fail to close")
	}
}

func TestCallsAtOnceNeverGetMoreThanTheLimit(t *testing.T) {
	onBoth(t, ratelimit.Rates{"token": 20}, func(t *testing.T, _ *house, l *ratelimit.Limits) {
		var through atomic.Int64
		var group sync.WaitGroup
		for range 50 {
			group.Go(func() {
				if _, err := l.Allow(t.Context(), "token", "client"); err == nil {
					through.Add(1)
				}
			})
		}
		group.Wait()
		if got := through.Load(); got != 20 {
			t.Errorf("%d of 50 calls at once were allowed, want 20", got)
		}
	})
}

// Rule: ADMIN-21
func TestUsageListsWhatIsUsedMostFirst(t *testing.T) {
	onBoth(t, ratelimit.Rates{"token": 10, "revoke": 4}, func(t *testing.T, h *house, l *ratelimit.Limits) {
		allowed(t, l, "token", "a", 3)
		allowed(t, l, "token", "b", 10)
		allowed(t, l, "revoke", "a@192.0.2.1", 2)
		h.clock.Advance(59 * time.Second)
		want := []ratelimit.Usage{
			{Class: "token", Key: "b", Used: 10, Limit: 10},
			{Class: "revoke", Key: "a@192.0.2.1", Used: 2, Limit: 4},
			{Class: "token", Key: "a", Used: 3, Limit: 10},
		}
		if diff := cmp.Diff(want, l.Usage(t.Context(), 10)); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		if got := l.Usage(t.Context(), 1); len(got) != 1 {
			t.Errorf("%d rows, want 1", len(got))
		}
		h.clock.Advance(time.Second)
		if got := l.Usage(t.Context(), 10); len(got) != 0 {
			t.Errorf("a minute later %v is used", got)
		}
	})
}

func Test200000NamesNeitherFillTheMemoryNorFreeWhoKeepsCalling(t *testing.T) {
	h := newHouse()
	l := h.server(t, ratelimit.Rates{"token": 5}, "")
	allowed(t, l, "token", "busy", 5)
	for i := range 200_000 {
		_, _ = l.Allow(t.Context(), "token", fmt.Sprint("name ", i))
		if i%10_000 == 0 && allowed(t, l, "token", "busy", 1) != 0 {
			t.Fatalf("after %d other names the caller's calls were forgotten", i)
		}
	}
	if got := len(l.Usage(t.Context(), 1_000_000)); got > 70_000 {
		t.Errorf("%d windows are kept", got)
	}
}

func TestKeyCountsAnIPv6SubscriberOnce(t *testing.T) {
	for _, tt := range []struct{ client, address, want string }{
		{"app", "", "app"},
		{"app", "192.0.2.7", "app@192.0.2.7"},
		{"", "192.0.2.7", "@192.0.2.7"},
		{"app", "2001:db8:1:2:3:4:5:6", "app@2001:db8:1:2::/64"},
		{"app", "fe80::1%eth0", "app@fe80::/64"},
		{"app", "::ffff:192.0.2.7", "app@::ffff:192.0.2.7"},
		{"app", "not an address", "app@not an address"},
	} {
		if got := ratelimit.Key(tt.client, tt.address); got != tt.want {
			t.Errorf("Key(%q, %q) = %q, want %q", tt.client, tt.address, got, tt.want)
		}
	}
}

// Rule: LIMIT-1
func TestParseRates(t *testing.T) {
	changed := ratelimit.DefaultRates()
	changed["token"], changed["revoke"] = 2000, 0
	for setting, want := range map[string]ratelimit.Rates{
		"on": ratelimit.DefaultRates(), "off": nil, "token=2000, revoke=0": changed,
	} {
		got, err := ratelimit.ParseRates(setting)
		if err != nil {
			t.Errorf("%q: %v", setting, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: -want +got:\n%s", setting, diff)
		}
	}
	for _, setting := range []string{"", "yes", "token", "token=", "token=-1", "token=60000001",
		"userinfo=5", "token=5;revoke=1"} {
		if _, err := ratelimit.ParseRates(setting); !fault.Is(err, fault.Invalid) {
			t.Errorf("%q: error %v, want invalid", setting, err)
		}
	}
}

func BenchmarkAllow(b *testing.B) {
	l, err := ratelimit.New(ratelimit.Options{Rates: ratelimit.DefaultRates(), Ambient: newHouse().source})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			_, _ = l.Allow(b.Context(), ratelimit.Token, ratelimit.Key("a client", "192.0.2.7"))
		}
	})
}
