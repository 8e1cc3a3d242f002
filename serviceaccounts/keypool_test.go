package serviceaccounts

import (
	"crypto/rsa"
	"log/slog"
	"testing"

	"github.com/portico-id/portico/internal/ambient"
)

func pool(t testing.TB, size int) *keyPool {
	p := newKeyPool(size, ambient.System().Random(), slog.New(slog.DiscardHandler))
	t.Cleanup(p.close)
	return p
}

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

func TestAnEmptyPoolMakesThePairItself(t *testing.T) {
	p := pool(t, -1)
	pair, err := p.take()
	if err != nil || pair.N.BitLen() != 2048 {
		t.Errorf("%v", err)
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
	pair, err := p.take()
	if err != nil {
		b.Fatal(err)
	}
	p.ready = make(chan *rsa.PrivateKey, 1)
	for b.Loop() {
		p.ready <- pair
		if _, err := p.take(); err != nil {
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
