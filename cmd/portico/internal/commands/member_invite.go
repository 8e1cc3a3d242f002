package commands

import (
	"context"
	"time"

	"github.com/portico-id/portico/cmd/portico/internal/wiring"
	"github.com/portico-id/portico/dataapi/administration"
	"github.com/portico-id/portico/internal/fault"
)

// invitation is how somebody who was not known here gets in.
type invitation struct {
	UserID string    `json:"-"`
	URL    string    `json:"url,omitempty"` // empty: it was mailed
	Until  time.Time `json:"expires_at"`
}

// invitedBy is who invites people on the command line, as they read it.
const invitedBy = "The operator of the server"

// invited invites whoever the handle names when it is an address that nobody
// has. It returns nil for people who are known.
func (e *Env) invited(ctx context.Context, place administration.Membership,
	handle string) (made *invitation, err error) {
	err = e.with(ctx, func(p *wiring.Parts) error {
		made, err = e.inviteUnknown(ctx, p, place, handle)
		return err
	})
	return made, whereToLook(inFlags(err, dataFlag))
}

func (e *Env) inviteUnknown(ctx context.Context, p *wiring.Parts, place administration.Membership,
	handle string) (*invitation, error) {
	rules, base := p.Administration(), p.Config.BaseURL
	if err := rules.CheckPlace(ctx, place); err != nil {
		return nil, err
	}
	_, err := rules.Person(ctx, handle)
	if !administration.IsUnknownAddress(err, handle) {
		return nil, err
	}
	if base == "" {
		unknown := fault.From(err)
		return nil, fault.Newf(unknown.Kind, unknown.Reason,
			"%s To invite them, set PORTICO_BASE_URL: the link begins with it. Or add them first: portico user create --email %s",
			unknown.Detail, handle).At(administration.FieldUser)
	}
	user, made, err := p.People().Invite(ctx, e.act(), handle, invitedBy)
	if err != nil {
		return nil, inFlags(err, func(*fault.Error) string { return "--user" })
	}
	return &invitation{user.ID, made.URL(base), made.Until}, nil
}
