package app

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/portico-id/portico/cmd/portico/internal/config"
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
	r := &readiness{ambient: p.Ambient, parts: []part{{"database", true, p.Store.Ping}}}
	if c.SQLite() {
		_, path, _ := strings.Cut(c.DatabaseURL.Reveal(), ":")
		r.parts = append(r.parts, disk("the disk of the database", filepath.Dir(path)))
	}
	if bucket, ok := p.blobs.(*blobstore.S3); ok {
		r.parts = append(r.parts, part{"object store", false, bucket.Check})
	} else {
		r.parts = append(r.parts, disk("the disk of files", c.DataDir))
	}
	return r
}

func disk(name, folder string) part {
	return part{name, true, func(context.Context) error {
		if left, known := spaceLeft(folder); known && left < enoughSpace {
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
	answers := make([]chan error, len(r.parts))
	for i, p := range r.parts {
		answers[i] = make(chan error, 1)
		go func() { answers[i] <- p.ask(ctx) }()
	}
	r.found = condition{}
	for i, p := range r.parts {
		if err := answerOf(ctx, answers[i]); err != nil {
			r.found.ill = append(r.found.ill, p.name+": "+wordsOf(err))
			r.found.vital = r.found.vital || p.vital
		}
	}
	r.at = r.ambient.Now()
	return r.found
}

// answerOf waits for an answer until the time is over. One that was there by then
// counts, though another part has used all of the time.
func answerOf(ctx context.Context, answer <-chan error) error {
	select {
	case err := <-answer:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-answer:
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
