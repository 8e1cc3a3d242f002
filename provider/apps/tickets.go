package apps

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/sealing"
)

const (
	ticketLife  = 10 * time.Minute
	ticketLabel = "try-out"
)

// Tickets are the callback addresses of try-outs: ours, each with a sealed
// ticket in it that names app, person and PKCE verifier. The provider accepts
// such an address as if the app had registered it, for as long as the ticket
// lasts. Nothing is stored, so every server of a database takes it. A code that
// is sent there is redeemed by nobody but the person who made the ticket.
type Tickets struct {
	ring    *sealing.Ring
	ambient *ambient.Source
	base    string
}

// NewTickets returns the tickets of a server with the base URL.
func NewTickets(ring *sealing.Ring, source *ambient.Source, baseURL string) *Tickets {
	return &Tickets{ring: ring, ambient: source, base: baseURL + tryBackPath + "?ticket="}
}

// ticket is what a try-out has to know when the browser comes back.
type ticket struct {
	ClientID string    `json:"client"`
	UserID   string    `json:"user"`
	State    string    `json:"state"`
	Verifier string    `json:"verifier"`
	Until    time.Time `json:"until"`
	Own      bool      `json:"own,omitempty"` // a script goes on, which has the app's key
}

// issue returns a fresh ticket and its callback address.
func (t *Tickets) issue(clientID, userID string, own bool) (ticket, string, error) {
	made := ticket{
		ClientID: clientID, UserID: userID, State: t.ambient.Token(), Verifier: t.ambient.Token(),
		Own: own, Until: t.ambient.Now().Add(ticketLife),
	}
	text, err := json.Marshal(made)
	return made, t.base + base64.RawURLEncoding.EncodeToString(t.ring.Seal(ticketLabel, text, nil)), err
}

// open returns the ticket of a text that issue made and whose time is not over.
func (t *Tickets) open(sealed string) (ticket, bool) {
	box, err := sealing.Decode(sealed)
	if err != nil {
		return ticket{}, false
	}
	text, _, err := t.ring.Open(ticketLabel, box, nil)
	if err != nil {
		return ticket{}, false
	}
	var opened ticket
	if json.Unmarshal(text, &opened) != nil || !t.ambient.Now().Before(opened.Until) {
		return ticket{}, false
	}
	return opened, true
}

// Stands reports whether the address is a callback of try-outs, and whether it
// is that of a running one of the client.
func (t *Tickets) Stands(clientID, redirectURI string) (ours, stands bool) {
	sealed, ours := strings.CutPrefix(redirectURI, t.base)
	if !ours {
		return false, false
	}
	opened, good := t.open(sealed)
	return true, good && opened.ClientID == clientID
}

// address is the callback address that a sealed text was part of.
func (t *Tickets) address(sealed string) string { return t.base + url.QueryEscape(sealed) }
