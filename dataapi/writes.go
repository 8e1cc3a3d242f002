package dataapi

import (
	"context"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/dataapi/shape"
	"github.com/portico-id/portico/dataapi/tree"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/bearer"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

// Writes are what the endpoints change.
type Writes interface {
	tree.Store

	RenameVersion(ctx context.Context, change storage.Change, projectID string, ref storage.VersionRef,
		name string) (storage.Version, error)
	FindDone(ctx context.Context, key string, now time.Time) (storage.Done, error)
}

// Places in the documents of changes.
const (
	atData        = "/data"
	atAttributes  = "/data/attributes"
	atName        = atAttributes + "/name"
	atDisplayName = atAttributes + "/displayName"
	atHidden      = atAttributes + "/hidden"
	atReserved    = atAttributes + "/reserved"
	atParent      = "/data/relationships/parent/data/id"
	atItem        = "/data/relationships/item/data/id"
	atTarget      = "/data/relationships/target/data/id"
)

// told returns a refusal of the rules with its place in the document: where that
// usually is, unless the request has it elsewhere.
func (h *Handler) told(ctx context.Context, err error, elsewhere shape.Sources) error {
	places := shape.Sources{
		tree.AtThing: atData, tree.AtName: atName, tree.AtAttributes: atAttributes, tree.AtHidden: atHidden,
		tree.AtParent: atParent, tree.AtItem: atItem, tree.AtBytes: "", tree.AtSource: paramCopyFrom,
		tree.AtReserved: atReserved,
	}
	maps.Copy(places, elsewhere)
	return h.tell.Located(ctx, err, places)
}

// change says who makes the request and by whose rights (decision J12).
func (h *Handler) change(r *http.Request, who storage.Caller) storage.Change {
	return bearer.Change(r, h.ambient.Now(), who)
}

// ifMatch returns the revision that the request depends on, 0 for any, and
// refuses one that no longer is. A tag begins with the revision; what follows
// it varies with the reader (RFC 9110, 13.1.1). One that depends on there being
// another is refused as well (13.1.2).
func ifMatch(r *http.Request, revision int64) (int64, error) {
	if whichever, this := named(r, shape.OtherHeader, revision); whichever || this {
		return 0, changedMeanwhile(shape.OtherHeader)
	}
	whichever, this := named(r, shape.MatchHeader, revision)
	switch {
	case whichever || len(r.Header.Values(shape.MatchHeader)) == 0:
		return 0, nil
	case this:
		return revision, nil
	}
	return 0, changedMeanwhile(shape.MatchHeader)
}

// named reports whether a header names any state, and whether it names this one: If-Match by a
// strong tag, for a weak one may be of other bytes.
func named(r *http.Request, header string, revision int64) (whichever, this bool) {
	for _, tag := range httpio.Tags(r, header) {
		if header == shape.OtherHeader {
			tag = strings.TrimPrefix(tag, "W/")
		}
		whichever = whichever || tag == "*"
		this = this || strings.HasPrefix(tag, `"`+strconv.FormatInt(revision, 10)+"-")
	}
	return whichever, this
}

func changedMeanwhile(header string) error {
	return fault.New(fault.PreconditionFailed, storage.ReasonChanged,
		"It was changed meanwhile: read it again.").At(header)
}

// writeMade answers a creation. The location is the resource's own link
// (JSON:API 1.0, 201 Created).
func writeMade(w http.ResponseWriter, r *http.Request, q jsonapi.Query, d single) error {
	w.Header().Set("Location", d.Resource.Links.Self.Href)
	return writeChanged(w, r, http.StatusCreated, q, d)
}

// writeChanged answers a change with what has become of the resource. The tag
// is for the next If-Match.
func writeChanged(w http.ResponseWriter, r *http.Request, status int, q jsonapi.Query, d single) error {
	d.Document.Links = &jsonapi.Links{Self: d.Resource.Links.Self} // without the parameters of the change
	body, err := d.Document.Encode(q)
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("ETag", d.freshness.tag(body))
	jsonapi.Write(w, r, status, body)
	return nil
}
