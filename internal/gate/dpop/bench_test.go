package dpop

import (
	"bytes"
	"encoding/binary"
	"net/http/httptest"
	"runtime"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/harness/prooftest"
	"github.com/portico-id/portico/internal/sealing"
)

// BenchmarkSeen says what a full memory of proofs weighs.
func BenchmarkSeen(b *testing.B) {
	now := time.Unix(1_900_000_000, 0)
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	for b.Loop() {
		before, s := heap(), newMemory(maxSeen)
		for i := range maxSeen {
			var m mark
			binary.BigEndian.PutUint64(m[8:], uint64(i)*0x9e3779b97f4a7c15)
			s.first(m, float64(now.Unix()-int64(i%60)), now)
		}
		b.ReportMetric(float64(heap()-before)/1e6, "MB")
		b.ReportMetric(float64(s.count), "proofs")
	}
}

// BenchmarkJudge judges proofs, and says how many times as long that takes as checking
// the signature of one does in the same moment.
func BenchmarkJudge(b *testing.B) {
	source := ambient.System()
	ring, err := sealing.New(bytes.Repeat([]byte("s"), 32), nil, source)
	if err != nil {
		b.Fatal(err)
	}
	key := prooftest.New(b, source, jose.ES256)
	p, err := New(Options{Bases: []string{"https://id.example.test"}, Ring: ring, Ambient: source})
	if err != nil {
		b.Fatal(err)
	}
	r := httptest.NewRequest("GET", "/userinfo", nil)
	var judging, checking time.Duration
	for b.Loop() {
		proof := key.For("a.b.c", "GET", "https://id.example.test/userinfo")
		r.Header.Set(Header, proof)
		signed, err := jose.ParseSignedCompact(proof, []jose.SignatureAlgorithm{jose.ES256})
		if err != nil {
			b.Fatal(err)
		}
		begin := b.Elapsed()
		_, wrong := p.Judge(r, "a.b.c")
		between := b.Elapsed()
		_, unsigned := signed.Verify(key.Signer.Public())
		judging, checking = judging+between-begin, checking+b.Elapsed()-between
		if wrong != nil || unsigned != nil {
			b.Fatal(wrong, unsigned)
		}
	}
	b.ReportMetric(float64(judging)/float64(checking), "signature-checks")
	b.ReportMetric(float64(judging.Microseconds())/float64(b.N), "µs")
}
