package app

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/portico-id/portico/internal/harness/otlptest"
)

// benched is a server in this process, with the demo in it, that nobody reaches by the
// network.
type benched struct {
	testing.TB
	handler http.Handler
	demo    map[string]string // of demo.env
	token   string
	folder  string // path of the contents of one
}

func newBenched(b *testing.B, settings ...string) *benched {
	b.Helper()
	c := configure(b, append(settings, "PORTICO_RATE_LIMITS=off")...)
	a := open(b, c)
	s := &benched{TB: b, handler: a.server.Handler, demo: map[string]string{}}
	s.must(a.prepareDemo(b.Context(), c.DataDir, io.Discard))
	text, err := os.ReadFile(filepath.Join(c.DataDir, "demo.env"))
	s.must(err)
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		s.demo[name] = value
	}
	var got struct {
		Token string `json:"access_token"`
	}
	s.must(json.Unmarshal(s.asks(s.tokenRequest()), &got))
	s.token = got.Token
	var top struct{ Data []struct{ ID string } }
	project := "/projects/" + s.demo["DEMO_PROJECT"]
	s.must(json.Unmarshal(s.asks(s.get("/project/v1/hubs/"+s.demo["DEMO_HUB"]+project+"/topFolders")), &top))
	s.folder = "/data/v1" + project + "/folders/" + url.PathEscape(top.Data[0].ID) + "/contents"
	return s
}

func (s *benched) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func (s *benched) form(path string, fields url.Values) *http.Request {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(fields.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.SetBasicAuth(s.demo["DEMO_CLIENT_ID"], s.demo["DEMO_CLIENT_SECRET"])
	return r
}

func (s *benched) tokenRequest() *http.Request {
	return s.form("/authentication/v2/token", url.Values{"grant_type": {"client_credentials"}, "scope": {"data:read"}})
}

func (s *benched) get(path string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.Header.Set("Authorization", "Bearer "+s.token)
	return r
}

func (s *benched) asks(r *http.Request) []byte {
	s.Helper()
	answer := httptest.NewRecorder()
	if s.handler.ServeHTTP(answer, r); answer.Code != http.StatusOK {
		s.Fatalf("%s: %d %s", r.URL, answer.Code, answer.Body)
	}
	return answer.Body.Bytes()
}

// requests are what the benchmark asks for.
func (s *benched) requests() map[string]func() *http.Request {
	return map[string]func() *http.Request{
		"token": s.tokenRequest,
		"introspection": func() *http.Request {
			return s.form("/authentication/v2/introspect", url.Values{"token": {s.token}})
		},
		"contents": func() *http.Request { return s.get(s.folder) },
	}
}

// takes is the processor time that so many requests take this thread.
func (s *benched) takes(request func() *http.Request, requests int) time.Duration {
	before := s.used()
	for range requests {
		s.asks(request())
	}
	return s.used() - before
}

func (s *benched) used() time.Duration {
	var clock unix.Timespec
	s.must(unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &clock))
	return time.Duration(clock.Nano())
}

// BenchmarkWatching is what metrics, and traces of one request in a hundred, add to the work
// of a request, in hundredths of an RSA-2048 signature of the same run: the middle of many
// turns, in each of which a server that is watched and one that is not are asked for the
// same. What sends traces to their collector works beside requests, and is not in it.
func BenchmarkWatching(b *testing.B) {
	const turn = 20
	collector := otlptest.New(b)
	bare := newBenched(b)
	signature := ofASignature(b)
	for name, watched := range map[string]*benched{
		"metrics":            newBenched(b, "PORTICO_METRICS_LISTEN=127.0.0.1:0"),
		"traces":             newBenched(b, "PORTICO_TRACES_URL="+collector.URL, "PORTICO_TRACES_SHARE=0.01"),
		"nothing, for noise": newBenched(b),
	} {
		for what := range bare.requests() {
			without, with := bare.requests()[what], watched.requests()[what]
			b.Run(name+"/"+what, func(b *testing.B) {
				runtime.LockOSThread() // whose time is taken
				defer runtime.UnlockOSThread()
				var more []float64
				for b.Loop() {
					before := bare.takes(without, turn)
					after := watched.takes(with, turn)
					more = append(more, float64(after-before)/turn)
				}
				slices.Sort(more)
				middle := more[len(more)/2]
				b.ReportMetric(middle/1000, "µs-more")
				b.ReportMetric(100*middle/float64(signature), "%-of-a-signature")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// ofASignature is how long a signature takes this thread.
func ofASignature(b *testing.B) time.Duration {
	b.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		b.Fatal(err)
	}
	sum := sha256.Sum256([]byte("what is signed"))
	var took []time.Duration
	for range 200 {
		began := time.Now()
		if _, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:]); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	return took[len(took)/4]
}
