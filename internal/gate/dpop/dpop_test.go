package dpop

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/harness/prooftest"
	"github.com/portico-id/portico/internal/sealing"
)

// Rule: DPOP-2
func TestAnAddressHasOneSpelling(t *testing.T) {
	const want = "https://id.example.test/a/b~c%2Fd"
	for _, same := range []string{
		want, "HTTPS://ID.example.TEST:443/a/b%7Ec%2fd", "https://id.example.test/%61/b~c%2fd?q=1#f",
		"https://id.example.test//a/b~c%2Fd",
	} {
		if got := normal(same); got != want {
			t.Errorf("%s: %s", same, got)
		}
	}
	if normal("http://h:80") != "http://h/" || normal("http://h:443/") != "http://h:443/" {
		t.Errorf("%s, %s", normal("http://h:80"), normal("http://h:443/"))
	}
	for _, none := range []string{"", "/a", "id.example.test/a", "ftp://h/a", "https://u@h/a", "https:a", "https:///a",
		"%", "https://h/%zz"} {
		if got := normal(none); got != "" {
			t.Errorf("%q: %s", none, got)
		}
	}
	for _, other := range []string{"https://id.example.test/a/b~c/d", "https://id.example.test/a/x/../b~c%2Fd",
		"https://id.example.test/a//b~c%2Fd", "https://id.example.test/%2Fa/b~c%2Fd",
		"https://id.example.test:8443/a/b~c%2Fd"} {
		if normal(other) == want {
			t.Errorf("%s is taken for %s", other, want)
		}
	}
}

// Rule: DPOP-3
func TestWhatTheMemoryForgetsIsTooOldToCount(t *testing.T) {
	now := time.Unix(1_900_000_000, 0)
	s := newMemory(10)
	at := func(ago int) float64 { return float64(now.Unix() - int64(ago)) }
	for i := range 12 {
		if !s.first(markOf("key", fmt.Sprint(i)), at(59-5*i), now) {
			t.Fatalf("proof %d is refused", i)
		}
	}
	for i := range 12 {
		if s.first(markOf("key", fmt.Sprint(i)), at(59-5*i), now) {
			t.Errorf("proof %d counts twice", i)
		}
	}
	if s.count > 10 || s.first(markOf("key", "old"), at(59), now) {
		t.Errorf("%d proofs are kept; one that is as old as a forgotten one counts", s.count)
	}
	if !s.first(markOf("other", "0"), at(0), now) || !s.first(markOf("key", "new"), at(0), now) {
		t.Error("a new proof is refused")
	}
	now = now.Add(2 * time.Minute)
	if !s.first(markOf("key", "later"), at(0), now) || s.count != 1 {
		t.Errorf("%d proofs are kept after their time", s.count)
	}
}

// Rule: SERVER-53
func TestProofsCountWithinSecondsAfterTheClockWasPutRight(t *testing.T) {
	now, s := time.Unix(1_900_000_000, 0), newMemory(10)
	at := func(now time.Time) float64 { return float64(now.Unix()) }
	ahead := now.Add(time.Hour)
	if !s.first(markOf("key", "before"), at(now), now) || !s.first(markOf("key", "ahead"), at(ahead), ahead) {
		t.Fatal("a new proof is refused")
	}
	if s.first(markOf("key", "before"), at(now), now) {
		t.Error("one that was forgotten meanwhile counts twice")
	}
	now = now.Add(20 * time.Second)
	if !s.first(markOf("key", "after"), at(now), now) || s.first(markOf("key", "after"), at(now), now) {
		t.Error("a new one does not count once")
	}
	if s.first(markOf("key", "ahead"), at(ahead), ahead.Add(-time.Second)) {
		t.Error("that of the time ahead counts once more when its time comes")
	}
}

// Rule: DPOP-2
func TestAProofIsForTheConfiguredAddressWhateverAProxySays(t *testing.T) {
	source := ambient.System()
	ring, err := sealing.New(bytes.Repeat([]byte("s"), 32), nil, source)
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(Options{Bases: []string{"https://id.example.test/sub", "https://mtls.example.test"}, Ring: ring,
		Ambient: source})
	if err != nil {
		t.Fatal(err)
	}
	key := prooftest.New(t, source, jose.ES256)
	for address, good := range map[string]bool{
		"https://id.example.test/sub/token": true, "https://mtls.example.test/token": true,
		"http://inner:8080/token": false, "https://inner:8080/token": false, "https://told.example.test/token": false,
		"https://id.example.test/token": false,
	} {
		r := httptest.NewRequest(http.MethodPost, "http://inner:8080/token", nil)
		r.Header.Set("X-Forwarded-Host", "told.example.test")
		r.Header.Set("X-Forwarded-Proto", "https")
		r.Header.Set("Forwarded", "host=told.example.test;proto=https")
		r.Header.Set(Header, key.Proof(http.MethodPost, address))
		if _, err := p.Judge(r, ""); (err == nil) != good {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// Rule: FAPI-1
func TestAProofThatIsSignedOtherwiseIsNotUsedUp(t *testing.T) {
	source := ambient.System()
	p, err := New(Options{Bases: []string{"https://id.example.test"}, Ambient: source})
	if err != nil {
		t.Fatal(err)
	}
	key := prooftest.New(t, source, jose.ES256)
	r := httptest.NewRequest(http.MethodPost, "/token", nil)
	r.Header.Set(Header, key.Proof(http.MethodPost, "https://id.example.test/token"))
	if _, err := p.Judge(r, "", "PS256", "EdDSA"); err == nil {
		t.Error("one that does not count passed")
	}
	if got, err := p.Judge(r, "", "PS256", "ES256"); err != nil || got != key.Thumbprint() {
		t.Errorf("the same one where it counts, and was not used up: %v", err)
	}
}
