package objects

import (
	"context"
	"net/http"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/bearer"
	"github.com/portico-id/portico/internal/httpio"
)

const (
	ticketVariable = "ticket"
	ticketPath     = "/oss/v2/signed/"
	ticketLabel    = "object address"
)

// ticket is what one of the server's own addresses allows. Whoever has the
// address may use it, so it says for whom it was made: their token and rights
// are looked at again with each use (decision W6).
type ticket struct {
	Method string `json:"m"`
	Bucket string `json:"b"`
	Key    string `json:"k"`
	Ends   int64  `json:"e"` // Unix seconds

	// Of a PUT.
	Upload string `json:"u,omitempty"`
	Part   int    `json:"p,omitempty"`
	Most   int64  `json:"s,omitempty"` // bytes

	// Of a GET.
	Show presentation `json:"v,omitzero"`

	bearer.Asker
}

// newTicket is a ticket for whoever asks.
func (a asked) newTicket(method string, ends time.Time) ticket {
	return ticket{Method: method, Bucket: a.object.Bucket, Key: a.object.Key, Ends: ends.Unix(), Asker: a.asker}
}

// address returns the address of a ticket.
func (h *Handler) address(t ticket) (string, error) {
	text, err := h.signer.Sign(ticketLabel, t)
	return h.base + ticketPath + text, err
}

// redeem returns the ticket in the path, if it is for this method, has not
// ended, and the token that it was made with is still in order. The method is
// in the ticket, so that an address to read can't be used to write.
func (h *Handler) redeem(r *http.Request, method string) (ticket, asked, error) {
	t, err := h.readTicket(r)
	switch {
	case err != nil:
		return t, asked{}, err
	case t.Method != method:
		return t, asked{}, fault.Newf(fault.Forbidden, reasonTicket, "This address is for %s.", t.Method)
	case h.ambient.Now().Unix() >= t.Ends:
		return t, asked{}, fault.New(fault.Forbidden, reasonTicketEnd, "This address has expired: ask for another.")
	}
	if err := h.stillInOrder(r.Context(), t); err != nil {
		return t, asked{}, err
	}
	object, err := h.store.FindObject(r.Context(), t.Bucket, t.Key)
	return t, asked{t.Caller(), t.Asker, object}, hidden(err)
}

func (h *Handler) readTicket(r *http.Request) (ticket, error) {
	var t ticket
	text, err := httpio.PathID(r, ticketVariable)
	if err == nil {
		err = h.signer.Verify(ticketLabel, text, &t)
	}
	if err != nil {
		err = fault.New(fault.Forbidden, reasonTicket, "This address is not one of ours, or was changed.").Because(err)
	}
	return t, err
}

// stillInOrder asks whether the token that the ticket was made with still is.
func (h *Handler) stillInOrder(ctx context.Context, t ticket) error {
	active, err := h.bearer.StillMay(ctx, t.Asker)
	if err == nil && !active {
		err = fault.New(fault.Forbidden, reasonTicket, "Whoever asked for this address may not use it any more.")
	}
	return err
}
