package twins

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/portico-id/portico/internal/fault"
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
	ClientID string `json:"c"`
	UserID   string `json:"i,omitempty"`
	OnBehalf bool   `json:"o,omitempty"`
	GrantID  string `json:"g,omitempty"`
	KeyID    string `json:"y,omitempty"`
	JTI      string `json:"j,omitempty"`
}

// signedLink is an address at which a plain browser sees the document until the
// lifetime ends.
func (h *Handler) signedLink(a asked, d storage.TwinDocument, life time.Duration) string {
	body, _ := json.Marshal(ticket{ // it can always be encoded
		Twin: d.FacilityID, Document: d.ID, Ends: h.ambient.Now().Add(life).Unix(),
		ClientID: a.who.ClientID, UserID: a.who.UserID, OnBehalf: a.who.OnBehalf,
		GrantID: a.token.GrantID, KeyID: a.token.KeyID, JTI: a.token.JTI,
	})
	encode := base64.RawURLEncoding.EncodeToString
	query := url.Values{
		"lastupdated":   {strconv.FormatInt(d.UpdatedAt.Unix(), 10)},
		ticketParameter: {encode(body) + "." + encode(h.signer.MAC(ticketLabel, body))},
	}
	return h.base + "/twins/" + h.urn.Twin(d.FacilityID) + "/documents/" + h.urn.Document(d.ID) + "/content?" + query.Encode()
}

// redeem returns the document of the link, if it still may be read.
func (h *Handler) redeem(r *http.Request, text string) (storage.TwinDocument, error) {
	t, err := h.readTicket(text)
	if err != nil {
		return storage.TwinDocument{}, err
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
	exchange := httpio.From(r.Context())
	exchange.ClientID, exchange.UserID = t.ClientID, t.UserID
	if err := h.stillAllowed(r, t); err != nil {
		return storage.TwinDocument{}, err
	}
	d, err := h.store.FindDocument(r.Context(), t.Twin, t.Document)
	return d, orAbsent(err, "document")
}

func (h *Handler) readTicket(text string) (ticket, error) {
	var t ticket
	decode := base64.RawURLEncoding.Strict().DecodeString
	first, second, _ := strings.Cut(text, ".")
	body, err := decode(first)
	if err != nil {
		return t, badLink(err)
	}
	code, err := decode(second)
	if err != nil || !h.signer.CheckMAC(ticketLabel, code, body) {
		return t, badLink(err)
	}
	return t, json.Unmarshal(body, &t)
}

func badLink(cause error) error {
	return fault.New(fault.Forbidden, reasonLink, "This link is not one of ours, or was changed.").Because(cause)
}

// stillAllowed asks whether the token that the link was made with stands, and
// whether its bearer may still read. A user whom the app has named has no token:
// only the app has.
func (h *Handler) stillAllowed(r *http.Request, t ticket) error {
	query := storage.TokenQuery{JTI: t.JTI, ClientID: t.ClientID, GrantID: t.GrantID, KeyID: t.KeyID}
	if !t.OnBehalf {
		query.UserID = t.UserID
	}
	active, err := h.store.TokenActive(r.Context(), query)
	if err != nil {
		return err
	}
	if !active {
		return fault.New(fault.Forbidden, reasonLink, "Whoever asked for this link may not use it any more.")
	}
	who := storage.Caller{ClientID: t.ClientID, UserID: t.UserID, OnBehalf: t.OnBehalf}
	place, err := h.store.FindFacility(r.Context(), who, t.Twin)
	return judge(place, err, storage.TwinRead)
}
