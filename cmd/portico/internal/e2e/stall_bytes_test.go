package e2e

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/harness/s3test"
)

// Rule: SERVER-44
func TestAnObjectStoreThatIsIllIsWaitedForNoLongerThanSaid(t *testing.T) {
	t.Parallel()
	service := s3test.Start(t)
	way := newStall(t, func() (net.Conn, error) {
		return net.Dial("tcp", strings.TrimPrefix(service.Endpoint, "http://"))
	})
	q := &quay{yard: newYard(t, sqliteURL(t), "S3_ENDPOINT=http://"+way.address(), "S3_BUCKET="+service.Bucket,
		"S3_ACCESS_KEY="+service.AccessKey, "S3_SECRET_KEY="+service.SecretKey, "REQUEST_LIMIT=3s")}
	q.tolerate(outage, " failed\"")
	p := &probes{site: q.site}
	body := []byte("bytes that come before the silence")
	sum := sha256.Sum256(body)
	finished, begun := q.reserve("finished.bin"), q.reserve("begun.bin")
	for _, c := range []*cargo{finished, begun} {
		q.put(c, "1", body)
	}
	q.complete(finished, hex.EncodeToString(sum[:]))

	send := func(method, path string, content []byte) answer {
		r := must(http.NewRequest(method, q.URL+path, bytes.NewReader(content)))
		r.Header.Set("Authorization", "Bearer "+q.token)
		if method == http.MethodPost {
			r.Header.Set("Content-Type", "application/json")
		}
		return must(try(q.plain, r))
	}
	acts := map[string]func() answer{
		"beginning an upload": func() answer {
			return send("GET", q.reserve("late.bin").path+"/signeds3upload?parts=1",
				nil)
		},
		"completing one": func() answer {
			return send("POST", begun.path+"/signeds3upload", []byte(`{"uploadKey":"`+begun.uploadKey+`"}`))
		},
		"sending all at once": func() answer { return send("PUT", q.reserve("whole.bin").path, body) },
		"reading":             func() answer { return send("GET", finished.path, nil) },
	}
	for ailment, begins := range map[string]func(){"silent": way.fallSilent, "gone": way.refuse,
		"late": func() { way.holdBack(30 * time.Second) }} {
		begins()
		var group sync.WaitGroup
		for name, act := range acts {
			group.Go(func() {
				within(t, 12*time.Second, ailment+": "+name, func() {
					if got := act(); got.Status != http.StatusServiceUnavailable || got.Header.Get("Retry-After") == "" {
						t.Errorf("%s: %s: %d %s", ailment, name, got.Status, got.Body)
					}
				})
			})
		}
		group.Wait()
		if status, said := p.readiness(); status != http.StatusOK || !strings.Contains(said, "object store: ") {
			t.Errorf("%s: readiness, as signing in needs no bytes: %d %s", ailment, status, said)
		}
		way.holdBack(0)
		way.reset()
		way.speak()
		eventually(t, 5*time.Second, "reading after it was "+ailment, func() bool {
			got := send("GET", finished.path, nil)
			return got.Status == http.StatusOK && got.Body == string(body)
		})
	}
	eventually(t, 5*time.Second, "completing", func() bool {
		return send("POST", begun.path+"/signeds3upload",
			[]byte(`{"uploadKey":"`+begun.uploadKey+`"}`)).Status == http.StatusOK
	})
}
