package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/portico-id/portico/storage"
)

// listener is a receiver of notices; it answers as it is told, and hangs as
// long as that is 0.
type listener struct {
	*httptest.Server
	mu     sync.Mutex
	answer int
	taken  []int // versions
	asked  int
}

func newListener(t testing.TB) *listener {
	t.Helper()
	l := &listener{}
	l.Server = httptest.NewServer(l)
	t.Cleanup(l.Close)
	return l
}

func (l *listener) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var notice struct{ Payload struct{ Version int } }
	_ = json.Unmarshal(body, &notice)
	l.mu.Lock()
	l.asked++
	answer := l.answer
	if answer == http.StatusOK {
		l.taken = append(l.taken, notice.Payload.Version)
	}
	l.mu.Unlock()
	if answer == 0 {
		<-r.Context().Done()
		return
	}
	w.WriteHeader(answer)
}

func (l *listener) behave(answer int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.answer = answer
}

func (l *listener) state() (asked int, taken []int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.asked, slices.Clone(l.taken)
}

// eventually waits for what the server brings about.
func (s *site) eventually(what string, is func() bool) {
	s.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	end := time.NewTimer(patience)
	defer end.Stop()
	for !is() {
		select {
		case <-tick.C:
		case <-end.C:
			s.Fatalf("not within %v: %s", patience, what)
		}
	}
}

type deliveryLine struct {
	State      string
	LastStatus int `json:"last_status"`
}

// Rules: HOOK-11, HOOK-12
func TestWebhooksAreToldOfEverythingThoughTheServerIsKilled(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		y := newYard(t, database)
		l := newListener(t)
		var hook struct{ ID, Secret string }
		y.commandJSON(&hook, "", "webhook", "create", "--project", y.project, "--url", l.URL, "--event", "dm.version.added")
		if hook.Secret == "" {
			t.Error("the secret is not shown")
		}
		log := func() []storage.WebhookDelivery {
			all, _, err := y.store.ListDeliveries(t.Context(), hook.ID, storage.PageRequest{})
			y.must(err)
			return all
		}
		delivered := func() bool {
			return !slices.ContainsFunc(log(), func(d storage.WebhookDelivery) bool {
				return d.State() != storage.StateDelivered
			})
		}
		item := y.copies(1)[0]
		for range 3 {
			y.addVersion(item)
		}
		y.eventually("the receiver is called", func() bool { n, _ := l.state(); return n > 0 })
		y.process.kill()
		l.behave(http.StatusOK)
		y.process = y.spawn()
		y.eventually("everything is taken", func() bool { _, taken := l.state(); return len(taken) >= 4 })
		y.eventually("everything is noted as delivered", delivered)
		if _, taken := l.state(); !slices.Equal(taken, []int{1, 2, 3, 4}) {
			t.Errorf("versions %v came, want each once and in order", taken)
		}
		l.behave(http.StatusInternalServerError)
		y.addVersion(item)
		y.eventually("a failure is noted", func() bool { return log()[0].LastStatus == http.StatusInternalServerError })
		l.behave(http.StatusOK)
		y.command("", "webhook", "redeliver", hook.ID, strconv.FormatInt(log()[0].ID, 10), "--project", y.project)
		y.eventually("it is taken on demand", delivered)
		if _, taken := l.state(); !slices.Equal(taken, []int{1, 2, 3, 4, 5}) {
			t.Errorf("versions %v came", taken)
		}
		var list struct{ Deliveries []deliveryLine }
		y.commandJSON(&list, "", "webhook", "deliveries", hook.ID, "--project", y.project)
		if first := list.Deliveries[0]; len(list.Deliveries) != 5 || first.State != storage.StateDelivered ||
			first.LastStatus != http.StatusOK {
			t.Errorf("the log on the command line: %+v", list)
		}
	})
}
