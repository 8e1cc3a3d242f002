package templates

import (
	"io"
	"time"

	"github.com/portico-id/portico/templates/texts"
)

// SentFile is a version in what was sent, as it was then.
type SentFile struct {
	Name          string
	Number        int
	URL, FetchURL string // of its page, and of its bytes; empty: not for whoever reads
	Size          texts.Text
	Stage         Stage
	Sum, SumStart string     // SHA-256; empty without bytes
	Now           texts.Text // what has become of it; empty: it is there
}

// SentPerson is somebody to whom it was sent.
type SentPerson struct {
	Name        string
	Group       string // through which they were meant; empty: by themselves
	Fetched, Of int    // versions
	At          time.Time
}

// TransmittalPage shows what was sent, and who has fetched how much of it. Ids: files,
// people, message, fetches.
type TransmittalPage struct {
	Desk
	Trail          []Link
	Number         int
	Title, Message string
	By             string
	At             time.Time
	Offers         []Button
	Files          []SentFile
	People         []SentPerson
	FetchesURL     string
	Pager          // of the files
}

// Transmittal writes the page of what was sent.
func (p *Pages) Transmittal(w io.Writer, page TransmittalPage) error {
	return p.render(w, "transmittal", page)
}
