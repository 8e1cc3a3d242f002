package serviceaccounts

import (
	"context"
	"crypto/rsa"
	"log/slog"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
)

func pool(t testing.TB, size int) *keyPool {
	p := newKeyPool(size, 0, atRandom(ambient.System()), slog.New(slog.DiscardHandler))
	t.Cleanup(p.close)
	return p
}

// Rule: ACCOUNT-14
func TestKeyPairsAreMadeAheadUpToTheSizeAndAgainAfterUse(t *testing.T) {
	p := pool(t, 2)
	seen := map[string]bool{}
	for range 3 { // more than the size: what is taken is made again
		pair := <-p.ready
		p.nudge()
		if pair.N.BitLen() != 2048 || seen[pair.N.String()] {
			t.Errorf("a pair of %d bits, seen before: %v", pair.N.BitLen(), seen[pair.N.String()])
		}
		seen[pair.N.String()] = true
	}
	if cap(p.ready) != 2 {
		t.Errorf("room for %d pairs, want 2", cap(p.ready))
	}
}

func TestPairsAreMadeAheadAfterARestOrWhenOneWasTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := func() *keyPool {
			p := newKeyPool(1, rest, atRandom(ambient.System()), slog.New(slog.DiscardHandler))
			t.Cleanup(p.close)
			return p
		}
		rests, used := begin(), begin()
		time.Sleep(rest - time.Second)
		if _, err := used.take(t.Context(), needed); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if len(rests.ready) != 0 || len(used.ready) != 1 {
			t.Errorf("%d pairs before the end of the rest, and %d after one was taken", len(rests.ready), len(used.ready))
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if len(rests.ready) != 1 {
			t.Error("no pair after the rest")
		}
	})
}

func TestAnEmptyPoolMakesThePairItself(t *testing.T) {
	p := pool(t, -1)
	pair, err := p.take(t.Context(), needed)
	if err != nil || pair.N.BitLen() != 2048 {
		t.Errorf("%v", err)
	}
}

func needed() error { return nil }

func TestKeysAreMadeByAFewAtOnceAndOnlyWhileThereIsNeed(t *testing.T) {
	p := pool(t, -1)
	for range cap(p.making) {
		p.making <- struct{}{} // every place is taken
	}
	short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := p.take(short, needed); !fault.Is(err, fault.Unavailable) {
		t.Errorf("without a place: %v", err)
	}
	<-p.making
	full := fault.New(fault.TooMany, "limit_exceeded", "There is no room.")
	if _, err := p.take(t.Context(), func() error { return full }); !fault.Is(err, fault.TooMany) {
		t.Errorf("without need: %v", err)
	}
	if _, err := p.take(t.Context(), needed); err != nil {
		t.Errorf("with a place and need: %v", err)
	}
	if n := cap(p.making); n >= runtime.GOMAXPROCS(0) && n > 1 {
		t.Errorf("%d at once leave no processor for other work", n)
	}
}

func TestAPoolClosesAtOnceAndTwice(t *testing.T) {
	p := pool(t, 1000)
	p.close()
	p.close()
	if made := len(p.ready); made > 100 {
		t.Errorf("%d pairs were made for a pool that was closed", made)
	}
}

// BenchmarkTakeWhileThePoolLasts is what the creation of a key waits for: the
// target is far below a RSA key generation, which BenchmarkGenerate shows.
func BenchmarkTakeWhileThePoolLasts(b *testing.B) {
	p := pool(b, -1) // nobody refills it
	pair, err := p.take(b.Context(), needed)
	if err != nil {
		b.Fatal(err)
	}
	p.ready = make(chan *rsa.PrivateKey, 1)
	for b.Loop() {
		p.ready <- pair
		if _, err := p.take(b.Context(), needed); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkGenerate(b *testing.B) {
	for b.Loop() {
		if _, err := rsa.GenerateKey(ambient.System().Random(), keyBits); err != nil {
			b.Fatal(err)
		}
	}
}
