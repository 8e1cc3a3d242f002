// Package pdf says whether bytes are a PDF document that can be opened: not by
// their name, but by following their structure from the end of the file to every
// page (ISO 32000-2, 7.5).
//
// It shows, decodes and repairs nothing, and it trusts nothing: it reads what it
// needs and no more, within a budget of memory, objects and time, whatever the
// bytes say of themselves. Libraries that parse PDF read all of a file and have
// no such budget. Start at Check.
package pdf

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strconv"
	"time"

	"github.com/portico-id/portico/internal/fault"
)

// Reasons of the refusals of Check, which are Invalid.
const (
	ReasonNotPDF     = "not_a_pdf"
	ReasonEncrypted  = "pdf_encrypted"
	ReasonTruncated  = "pdf_truncated"
	ReasonDamaged    = "pdf_damaged"
	ReasonTooComplex = "pdf_too_complex"
)

// The budget of one document.
const (
	patience    = 10 * time.Second
	maxObjects  = 500_000
	maxNodes    = 200_000 // of the tree of pages
	maxPacked   = 100_000 // objects in one object stream
	maxInflated = 32 << 20
	maxStream   = 6 << 20    // one of them inflated
	maxObject   = 1 << 20    // bytes of one that is no stream
	maxWeight   = 250_000    // of one: some 10 MiB of memory
	maxRead     = 20_000_000 // weight of all that are read, each as often as it is: some seconds
	maxSections = 200        // of cross-references
	maxDepth    = 40         // of arrays and dictionaries in each other
)

// Info is what is known of a document that can be opened.
type Info struct {
	Version string // such as 1.7
	Pages   int
}

// Check reads the structure of a document of the given size. Invalid, with one
// of the reasons; other errors are those of the reader.
func Check(ctx context.Context, r io.ReaderAt, size int64) (Info, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	d := &document{ctx: ctx, file: newBlocks(r, size), size: size, streams: map[int]*objectStream{}}
	info, err := d.check()
	if d.failed != nil {
		return Info{}, d.failed
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return Info{}, tooComplex()
	}
	return info, err
}

// document is a file under examination.
type document struct {
	ctx      context.Context
	file     *blocks
	size     int64
	base     int64 // where the header is: offsets count from there
	entries  []entry
	trailer  dict // the newest
	inflated int64
	streams  map[int]*objectStream
	opening  bool // an object stream
	nodes    int
	weight   int   // of all objects that were read
	failed   error // of the reader: it says nothing of the document
}

func (d *document) check() (Info, error) {
	head, err := d.read(0, 1024)
	if err != nil {
		return Info{}, err
	}
	at := bytes.Index(head, []byte("%PDF-"))
	if at < 0 || len(head) < at+8 {
		return Info{}, refuse(ReasonNotPDF, "This is no PDF document, whatever its name says.")
	}
	d.base = int64(at)
	start, err := d.startOfReferences()
	if err != nil {
		return Info{}, err
	}
	if err := d.readReferences(start); err != nil {
		return Info{}, err
	}
	pages, err := d.countPages()
	return Info{Version: string(head[at+5 : at+8]), Pages: pages}, err
}

// startOfReferences reads the end of the file, which says where to begin.
func (d *document) startOfReferences() (int64, error) {
	from := max(0, d.size-2048)
	tail, err := d.read(from, 2048)
	if err != nil {
		return 0, err
	}
	end := bytes.LastIndex(tail, []byte("%%EOF"))
	if end < 0 {
		return 0, truncated()
	}
	at := bytes.LastIndex(tail[:end], []byte("startxref"))
	if at < 0 {
		return 0, truncated()
	}
	digits := bytes.TrimSpace(tail[at+len("startxref") : end])
	start, err := strconv.ParseInt(string(digits), 10, 64)
	if err != nil || start < 0 {
		return 0, damaged()
	}
	if start >= d.size {
		return 0, truncated()
	}
	return start, nil
}

// read returns up to n bytes from the offset on.
func (d *document) read(offset, n int64) ([]byte, error) {
	if err := d.ctx.Err(); err != nil {
		return nil, err
	}
	if offset < 0 || offset > d.size {
		return nil, truncated()
	}
	in, err := d.file.read(offset, min(n, d.size-offset))
	if err != nil {
		d.failed = err // whatever is made of it on the way
	}
	return in, err
}

// weigh counts an object that was read: an object in a stream costs no reading, and one
// place can be a hundred thousand of them.
func (d *document) weigh(p *parser) error {
	if d.weight += p.weight; d.weight > maxRead {
		return tooComplex()
	}
	return d.ctx.Err()
}

func refuse(reason, detail string) error { return fault.New(fault.Invalid, reason, detail) }

func truncated() error {
	return refuse(ReasonTruncated, "The PDF document breaks off: its end is missing. Upload it again.")
}

func damaged() error {
	return refuse(ReasonDamaged, "The PDF document is damaged: open it in a PDF program and save it anew.")
}

func encrypted() error {
	return refuse(ReasonEncrypted, "The PDF document is encrypted: save it without a password.")
}

func tooComplex() error {
	return refuse(ReasonTooComplex, "The PDF document takes more time or memory than any should.")
}
