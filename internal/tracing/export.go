package tracing

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

const (
	queued   = 4096 // spans that wait
	most     = 512  // that go at once
	gathered = 2 * time.Second
	timeout  = 5 * time.Second // for an answer
	tries    = 4
	pause    = time.Second      // before the second try; it doubles
	longest  = 30 * time.Second // that a collector may ask for
	flushing = 5 * time.Second  // for all that is left at the end
)

// exporter sends spans to a collector, and holds nobody up: what it has no room for, and
// what the collector does not take, is counted and forgotten.
type exporter struct {
	url, version string
	client       *http.Client
	log          *slog.Logger
	queue        chan *Span
	pause, flush time.Duration // see the constants; tests are in a hurry

	sent, lost atomic.Uint64
	failing    bool // since the last batch: the log has been told

	life   context.Context // of the calls
	cut    context.CancelFunc
	stop   chan struct{} // closed: send what is there, and end
	ended  chan struct{}
	ending sync.Once
}

func newExporter(o Options) *exporter {
	e := &exporter{url: o.URL, version: o.Version, client: newClient(), log: o.Log,
		queue: make(chan *Span, queued), pause: pause, flush: flushing,
		stop: make(chan struct{}), ended: make(chan struct{})}
	e.life, e.cut = context.WithCancel(context.Background())
	return e
}

// newClient goes straight to the collector, through no proxy, and nowhere that it says.
func newClient() *http.Client {
	return &http.Client{Timeout: timeout,
		Transport:     &http.Transport{MaxIdleConnsPerHost: 1, IdleConnTimeout: time.Minute},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// Knock sends a collector no span, as a tracer sends many, and returns its answer's status.
func Knock(ctx context.Context, url string) (status int, err error) {
	client := newClient()
	defer client.CloseIdleConnections()
	answer, err := send(ctx, client, url, []byte(`{"resourceSpans":[]}`))
	if err != nil {
		return 0, err
	}
	return answer.StatusCode, answer.Body.Close()
}

func send(ctx context.Context, client *http.Client, url string, body []byte) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "Portico")
	return client.Do(r)
}

func (e *exporter) offer(s *Span) {
	select {
	case e.queue <- s:
	default:
		e.lost.Add(1)
	}
}

// Counts returns how many spans the collector took, and how many were lost.
func (t *Tracer) Counts() (sent, lost uint64) {
	if t == nil {
		return 0, 0
	}
	return t.sent.Load(), t.lost.Load()
}

// Close sends what is left, as far as that goes within a few seconds.
func (t *Tracer) Close() {
	if t == nil {
		return
	}
	t.ending.Do(func() {
		close(t.stop)
		late := time.AfterFunc(t.flush, t.cut)
		<-t.ended
		late.Stop()
		t.cut()
		t.client.CloseIdleConnections()
	})
}

func (e *exporter) run() {
	defer close(e.ended)
	for {
		batch, last := e.gather()
		if len(batch) > 0 {
			e.deliver(batch)
		}
		if last {
			return
		}
	}
}

// gather waits a moment for spans; last: no more will be waited for.
func (e *exporter) gather() (batch []*Span, last bool) {
	late := time.NewTimer(gathered)
	defer late.Stop()
	for len(batch) < most {
		select {
		case s := <-e.queue:
			batch = append(batch, s)
		case <-late.C:
			return batch, false
		case <-e.stop:
			select {
			case s := <-e.queue:
				batch = append(batch, s)
			default:
				return batch, true
			}
		}
	}
	return batch, false
}
