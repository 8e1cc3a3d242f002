package objects

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/tracing"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/blobstore"
)

const (
	// scanEvery is how often somebody looks for what nobody was woken for, and how long
	// whoever has failed rests.
	scanEvery = 5 * time.Second

	// scansAtOnce is how many files are looked at side by side: a large one takes minutes.
	scansAtOnce = 4

	// scanSoon is when a file is tried again whose scanner was away.
	scanSoon = 15 * time.Second

	// givingBack is how long it may take to say so.
	givingBack = 2 * time.Second

	// askAgain is when a client should look whether a file has been scanned.
	askAgain = 2 * time.Second
)

// Antivirus looks for viruses: *antivirus.Clamd or *antivirus.Service.
type Antivirus interface {
	// Scan reads the bytes and returns what it found in them, "" for nothing.
	Scan(ctx context.Context, body io.Reader) (finding string, err error)
}

// ScannerOptions are what a Scanner is made of. Every field is needed.
type ScannerOptions struct {
	Store     storage.ScanStore
	Blobs     blobstore.Store
	Antivirus Antivirus
	Ambient   *ambient.Source
	Log       *slog.Logger
	Meanwhile bool // bytes are served until something is found in them
}

// Scanner has what is uploaded scanned, beside the requests. Any number of
// servers may. A nil Scanner scans nothing, and everything is served.
type Scanner struct {
	ScannerOptions
	woken chan struct{}
}

// NewScanner returns a Scanner. Run does the work.
func NewScanner(o ScannerOptions) *Scanner { return &Scanner{o, make(chan struct{}, 1)} }

// begins is the state of bytes that have just come.
func (s *Scanner) begins() storage.ScanState {
	if s == nil {
		return storage.ScanNone
	}
	return storage.ScanPending
}

// Awaited reports whether nobody gets bytes at which it has not looked yet.
func (s *Scanner) Awaited() bool { return s != nil && !s.Meanwhile }

// wake has new bytes looked at at once.
func (s *Scanner) wake() {
	if s == nil {
		return
	}
	select {
	case s.woken <- struct{}{}:
	default: // it is about to look anyway
	}
}

// Run scans until the context ends.
func (s *Scanner) Run(ctx context.Context) {
	if s == nil {
		return
	}
	var all sync.WaitGroup
	defer all.Wait()
	for range scansAtOnce {
		all.Go(func() { s.work(ctx) })
	}
	for tick := time.NewTicker(scanEvery); ; {
		select {
		case <-ctx.Done():
			tick.Stop()
			return
		case <-tick.C:
			s.wake()
		}
	}
}

// work scans one file after the other.
func (s *Scanner) work(ctx context.Context) {
	for {
		more, err := false, error(nil)
		_ = tracing.Round(ctx, "scans", func(ctx context.Context) error {
			more, err = s.scanNext(ctx)
			return nil // what fails is logged
		})
		var rests <-chan time.Time
		woken := s.woken
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			s.Log.ErrorContext(ctx, "the scan for viruses failed: it is tried again", "error", err)
			rests, woken = time.After(scanEvery), nil
		case more:
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-rests:
		case <-woken:
		}
	}
}

// scanNext scans what has waited longest, and reports whether there was something.
func (s *Scanner) scanNext(ctx context.Context) (bool, error) {
	now := s.Ambient.Now()
	waiting, err := s.Store.ClaimScans(ctx, now, now.Add(storage.ScanWithin), 1)
	for _, object := range waiting {
		s.wake() // somebody else sees whether there is more
		if failed := s.scan(ctx, object); failed != nil {
			err = errors.Join(err, failed, s.giveBack(ctx, object, failed))
		}
	}
	return len(waiting) > 0, err
}

// giveBack has a file tried again before its time is up, where this server stops, or the
// scanner was away. What a scanner did not get through waits: it may be the file.
func (s *Scanner) giveBack(ctx context.Context, object storage.Object, failed error) error {
	due := s.Ambient.Now()
	if ctx.Err() == nil {
		var away *net.OpError
		if !errors.As(failed, &away) || away.Op != "dial" {
			return nil
		}
		due = due.Add(scanSoon)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), givingBack)
	defer cancel()
	return s.Store.PutOffScan(ctx, object.Bucket, object.Key, due)
}

func (s *Scanner) scan(ctx context.Context, object storage.Object) error {
	ctx, cancel := context.WithTimeout(ctx, storage.ScanWithin)
	defer cancel()
	body, err := s.Blobs.Open(ctx, object.Blob, 0, -1)
	if fault.Is(err, fault.NotFound) {
		return nil // removed meanwhile
	}
	if err != nil {
		return err
	}
	defer body.Close()
	finding, err := s.Antivirus.Scan(ctx, body)
	if err != nil {
		return err
	}
	if finding != "" {
		s.Log.WarnContext(ctx, "there is a virus in a file that was uploaded", "object", object.Bucket+"/"+object.Key,
			"project", object.ProjectID, "finding", finding)
	}
	act := storage.Act{At: s.Ambient.Now(), Actor: storage.Actor{Kind: storage.ActorSystem}}
	return s.Store.EndScan(ctx, act, object.Bucket, object.Key, finding)
}

// mustBeServed refuses bytes that are not there, in which something was found
// or, unless that is not waited for, at which nobody has looked yet.
func (h *Handler) mustBeServed(o storage.Object) error {
	err := mustHaveBytes(o)
	switch {
	case err != nil:
		return err
	case o.Scan == storage.ScanInfected:
		return fault.Newf(fault.Forbidden, storage.ReasonInfected,
			"The virus scanner has found %s in this file, so nobody gets it. Tell an administrator if that is a mistake.",
			o.Finding)
	case o.Scan == storage.ScanPending && h.scanner.Awaited():
		return fault.New(fault.Locked, storage.ReasonScanPending,
			"The virus scanner has not looked at this file yet: try again in a moment.").After(askAgain)
	}
	return nil
}
