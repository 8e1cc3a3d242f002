package app

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/portico-id/portico/cmd/portico/internal/config"
	"github.com/portico-id/portico/cmd/portico/internal/doctor"
	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage/blobstore"
)

const (
	// askWithin is how long a part may take to answer. A probe that asks for
	// readiness is answered by then, whatever the parts do.
	askWithin = 1500 * time.Millisecond

	// stands is how long an answer stands: anybody may ask.
	stands = time.Second

	// enoughSpace is what a disk must have left, in bytes.
	enoughSpace = 8 << 20
)

// part is something that the server needs.
type part struct {
	name  string
	vital bool // without it nothing is served here; else others serve no better
	ask   func(context.Context) error

	asked chan error // whose answer has not come yet; nil: nobody is waited for
}

// condition is how the parts are.
type condition struct {
	vital bool // whether one that is vital is ill
	ill   []string
}

// readiness asks the parts, those who ask at the same time together.
type readiness struct {
	parts   []part
	ambient *ambient.Source

	mu    sync.Mutex
	at    time.Time
	found condition
}

func newReadiness(p *parts, c config.Config) *readiness {
	r := &readiness{ambient: p.Ambient, parts: []part{{name: "database", vital: true, ask: p.Store.Ping}}}
	r.parts = append(r.parts, part{name: "clean-up", ask: p.upkeep.behind})
	if c.SQLite() {
		_, path, _ := strings.Cut(c.DatabaseURL.Reveal(), ":")
		r.parts = append(r.parts, disk("the disk of the database", filepath.Dir(path)))
	}
	if bucket, ok := p.blobs.(*blobstore.S3); ok {
		r.parts = append(r.parts, part{name: "object store", ask: bucket.Check})
	} else {
		r.parts = append(r.parts, disk("the disk of files", c.DataDir))
	}
	return r
}

func disk(name, folder string) part {
	return part{name: name, vital: true, ask: func(context.Context) error {
		if left, known := doctor.SpaceLeft(folder); known && left < enoughSpace {
			return fault.New(fault.Unavailable, "", "There is no room left on it.")
		}
		return nil
	}}
}

// look returns how the parts are. One that says nothing in time is ill.
func (r *readiness) look(ctx context.Context) condition {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now := r.ambient.Now(); now.Sub(r.at).Abs() < stands {
		return r.found
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), askWithin)
	defer cancel()
	for i := range r.parts {
		r.parts[i].begin(ctx)
	}
	r.found = condition{}
	for i := range r.parts {
		p := &r.parts[i]
		if err := p.answer(ctx); err != nil {
			r.found.ill = append(r.found.ill, p.name+": "+wordsOf(err))
			r.found.vital = r.found.vital || p.vital
		}
	}
	r.at = r.ambient.Now()
	return r.found
}

// begin asks the part, unless it still owes an answer: a disk that hangs lets
// nobody who asks it go. One that came too late may be another by now.
func (p *part) begin(ctx context.Context) {
	if p.asked != nil && len(p.asked) == 0 {
		return
	}
	asked := make(chan error, 1)
	p.asked = asked
	go func() { asked <- p.ask(ctx) }()
}

// answer waits for the answer until the time is over. One that was there by then
// counts, though another part has used all of the time.
func (p *part) answer(ctx context.Context) error {
	select {
	case err := <-p.asked:
		p.asked = nil
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-p.asked:
		p.asked = nil
		return err
	default:
		return fault.New(fault.Unavailable, "", "It does not answer.")
	}
}

// wordsOf is what may be told to anybody.
func wordsOf(err error) string {
	if f := fault.From(err); f.Detail != "" {
		return f.Detail
	}
	return "It does not answer as it should."
}
