package twins

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/bearer"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

const (
	ticketParameter = "ticket"
	ticketLabel     = "twin document"
)

// Reasons of refusals of links.
const (
	reasonLink    = "address_invalid"
	reasonLinkEnd = "address_expired"
)

// ticket is what a signed link allows: to read one document, for whoever asked
// for it, as long as their token and rights stand (decision W6).
type ticket struct {
	Twin     string `json:"t"`
	Document string `json:"d"`
	Ends     int64  `json:"e"` // Unix seconds
	bearer.Asker
}

// signedLink is an address at which a plain browser sees the document until the
// lifetime ends; none for a token that may not read.
func (h *Handler) signedLink(a asked, d storage.TwinDocument, life time.Duration) string {
	if !a.reads {
		return ""
	}
	text, _ := h.signer.Sign(ticketLabel, ticket{ // it can always be encoded
		Twin: d.FacilityID, Document: d.ID, Ends: h.ambient.Now().Add(life).Unix(), Asker: a.asker,
	})
	query := url.Values{
		"lastupdated":   {strconv.FormatInt(d.UpdatedAt.Unix(), 10)},
		ticketParameter: {text},
	}
	return h.base + "/twins/" + h.urn.Twin(d.FacilityID) + "/documents/" + h.urn.Document(d.ID) +
		"/content?" + query.Encode()
}

// redeem returns the document of the link, if it still may be read.
func (h *Handler) redeem(r *http.Request, text string) (storage.TwinDocument, error) {
	var t ticket
	if err := h.signer.Verify(ticketLabel, text, &t); err != nil {
		return storage.TwinDocument{}, badLink(err)
	}
	if h.ambient.Now().Unix() >= t.Ends {
		return storage.TwinDocument{}, fault.New(fault.Forbidden, reasonLinkEnd, "This link has expired: ask for another.")
	}
	twin, err := httpio.PathID(r, twinVariable)
	if err != nil {
		return storage.TwinDocument{}, err
	}
	uid, err := h.documentIn(r)
	if err != nil {
		return storage.TwinDocument{}, err
	}
	if twin != h.urn.Twin(t.Twin) || uid != t.Document {
		return storage.TwinDocument{}, badLink(nil)
	}
	if err := h.stillAllowed(r.Context(), t); err != nil {
		return storage.TwinDocument{}, err
	}
	d, err := h.store.FindDocument(r.Context(), t.Twin, t.Document)
	return d, fault.OrAbsent(err, "document")
}

func badLink(cause error) error {
	return fault.New(fault.Forbidden, reasonLink, "This link is not one of ours, or was changed.").Because(cause)
}

// stillAllowed asks whether the token that the link was made with stands, and
// whether its bearer may still read.
func (h *Handler) stillAllowed(ctx context.Context, t ticket) error {
	active, err := h.bearer.StillMay(ctx, t.Asker)
	if err != nil {
		return err
	}
	if !active {
		return fault.New(fault.Forbidden, reasonLink, "Whoever asked for this link may not use it any more.")
	}
	place, err := h.store.FindFacility(ctx, t.Caller(), t.Twin)
	return judge(place, err, storage.TwinRead)
}
