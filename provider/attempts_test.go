package provider

import (
	"fmt"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
)

func TestTriesThatANetworkIsRefusedDoNotUseUpAnAccount(t *testing.T) {
	source, _ := ambient.Fixed(noon, 1)
	a := newAttempts(source)
	for i := range networkBurst {
		if _, err := a.begin(try{login: fmt.Sprintf("made up %d", i), address: "192.0.2.1"}); err != nil {
			t.Fatalf("try %d: %v", i, err)
		}
	}
	for range 2 * accountBurst {
		if _, err := a.begin(try{userID: "VICTIM", address: "192.0.2.1"}); !fault.Is(err, fault.TooMany) {
			t.Fatalf("the network is over its limit, yet: %v", err)
		}
	}
	if _, err := a.begin(try{userID: "VICTIM", address: "192.0.2.2"}); err != nil {
		t.Errorf("from elsewhere: %v", err)
	}
}

func TestAnAccountAllowsTenTriesAndTwoAMinute(t *testing.T) {
	source, clock := ambient.Fixed(noon, 1)
	a := newAttempts(source)
	tries := func(n int) (allowed int) {
		for i := range n {
			if look, err := a.begin(try{userID: "PERSON", login: fmt.Sprint("name ", i), address: fmt.Sprintf("192.0.2.%d", i)}); look && err == nil {
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
	a.succeeded(try{userID: "PERSON"})
	if got := tries(50); got != accountBurst {
		t.Errorf("%d after a right password, want %d", got, accountBurst)
	}
}

func TestOneIPv6NetworkIsOneNetwork(t *testing.T) {
	source, _ := ambient.Fixed(noon, 1)
	a := newAttempts(source)
	allowed := 0
	for i := range 2 * networkBurst {
		if _, err := a.begin(try{login: fmt.Sprintf("name %d", i), address: fmt.Sprintf("2001:db8::%x", i)}); err == nil {
			allowed++
		}
	}
	if allowed != networkBurst {
		t.Errorf("%d tries, want %d", allowed, networkBurst)
	}
}

func TestMemoryOfAttemptsIsBounded(t *testing.T) {
	source, clock := ambient.Fixed(noon, 1)
	a := newAttempts(source)
	for i := range 3 * maxGeneration {
		clock.Advance(time.Second)
		_, _ = a.begin(try{login: fmt.Sprintf("name %d", i), address: fmt.Sprintf("10.%d.%d.%d", i>>16, i>>8&255, i&255)})
	}
	if n := len(a.young) + len(a.old); n > 2*maxGeneration {
		t.Errorf("%d buckets are kept", n)
	}
}
