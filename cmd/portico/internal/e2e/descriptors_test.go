package e2e

import (
	"net/http"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/harness/freeport"
)

// Rule: SERVER-32
func TestWithoutDescriptorsNothingFailsInAWayOfItsOwn(t *testing.T) {
	t.Parallel()
	s := newSite(t, sqliteURL(t))
	s.tolerate(background...)
	s.tolerate("too many open files", outage)
	port := freeport.Take(t)
	plain := s.portico("serve", "--listen", "127.0.0.1:"+port)
	cmd := exec.Command("sh", append([]string{"-c", `ulimit -n 64; exec "$0" "$@"`}, plain.Args...)...)
	cmd.Env, cmd.Stderr = plain.Env, s.log
	tie := must(cmd.StdinPipe())
	s.must(cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait(); _ = tie.Close() })
	s.URL = "http://127.0.0.1:" + port
	s.address.Store("127.0.0.1:" + port)
	eventually(t, patience, "the server", func() bool {
		got, err := http.Get(s.URL + "/readyz")
		if err != nil {
			return false
		}
		_ = got.Body.Close()
		return got.StatusCode == http.StatusOK
	})
	s.person("person@example.test")
	p := &probes{site: s, app: s.client()}
	statuses := map[int]int{}
	var mu sync.Mutex
	var crowd sync.WaitGroup
	for range 150 { // more than there are descriptors
		crowd.Go(func() {
			client := &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			for range 3 {
				got, err := try(client, p.signIn("a wrong password"))
				mu.Lock()
				if err == nil {
					statuses[got.Status]++
				} else {
					statuses[0]++
				}
				mu.Unlock()
			}
		})
	}
	crowd.Wait()
	t.Logf("answers by status, 0 for none: %v", statuses)
	if statuses[http.StatusInternalServerError] > 0 {
		t.Errorf("failures of our own: %v", statuses)
	}
	eventually(t, 20*time.Second, "the server", func() bool {
		got, err := try(s.plain, must(http.NewRequest(http.MethodGet, s.URL+"/readyz", nil)))
		return err == nil && got.Status == http.StatusOK
	})
}
