package showing

import (
	"context"
	"net/http"
	"strings"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates/texts"
)

// seen is a version that somebody looks at, with its bytes where it has any.
type seen struct {
	access.ItemSpot
	version storage.Version
	object  storage.Object // without a key: it has none
	url     string
}

func (s seen) who() storage.Caller { return s.Standing.Caller }

// reach finds the version in the path.
func (d *Desk) reach(r *http.Request) (seen, error) {
	at, version, err := d.Find.ReachVersion(r)
	if err != nil {
		return seen{}, err
	}
	return d.see(r.Context(), at, version)
}

func (d *Desk) see(ctx context.Context, at access.ItemSpot, version storage.Version) (seen, error) {
	s := seen{ItemSpot: at, version: version,
		url: d.VersionURL(at.Project.ID, storage.VersionRef{ItemID: at.Item.ID, Number: version.Number})}
	if version.ObjectKey == "" {
		return s, nil
	}
	var err error
	s.object, err = d.store.FindObject(ctx, version.Bucket, version.ObjectKey)
	return s, err
}

// kind is how a page shows bytes.
type kind int

const (
	kindNone kind = iota
	kindPDF
	kindPicture
	kindText
)

// kindOf goes by what the bytes begin with, never by a name. SVG and HTML are not
// among them: they could run.
func kindOf(o storage.Object) kind {
	switch media, _, _ := strings.Cut(o.MimeType, ";"); {
	case media == "application/pdf":
		return kindPDF
	case media == "text/plain":
		return kindText
	case media == "image/png", media == "image/jpeg", media == "image/gif", media == "image/webp", media == "image/bmp":
		return kindPicture
	}
	return kindNone
}

// refusal is why somebody does not get bytes, in words for people.
func refusal(err error) (texts.Text, bool) {
	f := fault.From(err)
	switch {
	case err == nil:
		return texts.Text{}, false
	case f.Reason == storage.ReasonInfected:
		return texts.Say("showing.infected"), true
	case f.Reason == storage.ReasonScanPending:
		return texts.Say("showing.pending"), true
	case f.Kind == fault.Forbidden:
		return texts.Say("showing.no-right"), true
	case f.Kind == fault.NotFound:
		return texts.Say("showing.no-bytes"), true
	}
	return texts.Text{}, false
}
