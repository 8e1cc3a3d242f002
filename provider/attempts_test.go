package provider

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/harness/sqlitetest"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/storage/sqlstore"
)

func attemptsBy(t *testing.T, source *ambient.Source) *attempts {
	t.Helper()
	store, err := sqlstore.Open(t.Context(), sqlstore.Options{URL: sqlitetest.URL(t), Version: "0.1.0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	ring, err := sealing.New([]byte(strings.Repeat("k", sealing.MinSecret)), nil, source)
	if err != nil {
		t.Fatal(err)
	}
	return &attempts{source, store, ring}
}

// Rule: SIGNIN-12
func TestATryThatNobodyLookedAtIsNotCounted(t *testing.T) {
	source, _ := ambient.Fixed(noon, 1)
	a, one := attemptsBy(t, source), try{userID: "PERSON", login: "name", address: "192.0.2.1"}
	for range 2 * networkBurst {
		if look, err := a.begin(t.Context(), one); err != nil || !look {
			t.Fatal(look, err)
		}
		if err := a.untried(t.Context(), one); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTriesThatANetworkIsRefusedDoNotUseUpAnAccount(t *testing.T) {
	source, _ := ambient.Fixed(noon, 1)
	a := attemptsBy(t, source)
	for i := range networkBurst {
		if _, err := a.begin(t.Context(), try{login: fmt.Sprintf("made up %d", i), address: "192.0.2.1"}); err != nil {
			t.Fatalf("try %d: %v", i, err)
		}
	}
	for range 2 * accountBurst {
		if _, err := a.begin(t.Context(), try{userID: "VICTIM", address: "192.0.2.1"}); !fault.Is(err, fault.TooMany) {
			t.Fatalf("the network is over its limit, yet: %v", err)
		}
	}
	if _, err := a.begin(t.Context(), try{userID: "VICTIM", address: "192.0.2.2"}); err != nil {
		t.Errorf("from elsewhere: %v", err)
	}
}

func TestAnAccountAllowsTenTriesAndTwoAMinute(t *testing.T) {
	source, clock := ambient.Fixed(noon, 1)
	a := attemptsBy(t, source)
	tries := func(n int) (allowed int) {
		for i := range n {
			if look, err := a.begin(t.Context(), try{userID: "PERSON", login: fmt.Sprint("name ", i),
				address: fmt.Sprintf("192.0.2.%d", i)}); look && err == nil {
				allowed++
			}
		}
		return allowed
	}
	if got := tries(50); got != accountBurst {
		t.Errorf("%d at once, want %d", got, accountBurst)
	}
	clock.Advance(time.Minute)
	if got := tries(50); got != 2 {
		t.Errorf("%d after a minute, want 2", got)
	}
	if err := a.succeeded(t.Context(), try{userID: "PERSON"}); err != nil {
		t.Fatal(err)
	}
	if got := tries(50); got != accountBurst {
		t.Errorf("%d after a right password, want %d", got, accountBurst)
	}
}

func TestOneIPv6NetworkIsOneNetwork(t *testing.T) {
	source, _ := ambient.Fixed(noon, 1)
	a := attemptsBy(t, source)
	allowed := 0
	for i := range 2 * networkBurst {
		if _, err := a.begin(t.Context(), try{login: fmt.Sprintf("name %d", i),
			address: fmt.Sprintf("2001:db8::%x", i)}); err == nil {
			allowed++
		}
	}
	if allowed != networkBurst {
		t.Errorf("%d tries, want %d", allowed, networkBurst)
	}
}
