package objects

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/tracing"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/blobstore"
)

const (
	// scanEvery is how often somebody looks for what nobody was woken for.
	scanEvery = 5 * time.Second

	scanBatch = 8

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
	tick := time.NewTicker(scanEvery)
	defer tick.Stop()
	for {
		for more := true; more && ctx.Err() == nil; {
			_ = tracing.Round(ctx, "scans", func(ctx context.Context) error {
				more = s.scanSome(ctx)
				return nil // what fails is logged
			})
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-s.woken:
		}
	}
}

// scanSome scans what waits for it, and reports whether there may be more.
func (s *Scanner) scanSome(ctx context.Context) bool {
	now := s.Ambient.Now()
	waiting, err := s.Store.ClaimScans(ctx, now, now.Add(storage.ScanWithin), scanBatch)
	for _, object := range waiting {
		err = errors.Join(err, s.scan(ctx, object))
	}
	if err != nil && ctx.Err() == nil {
		s.Log.ErrorContext(ctx, "the scan for viruses failed: it is tried again", "error", err)
	}
	return err == nil && len(waiting) == scanBatch
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
