package commands

import (
	"context"
	"errors"
	"time"

	"github.com/portico-id/portico/cmd/portico/internal/config"
	"github.com/portico-id/portico/dataapi/administration"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/password"
	"github.com/portico-id/portico/provider/people"
	"github.com/portico-id/portico/storage/sqlstore"
)

// invitation is how somebody who was not known here gets in.
type invitation struct {
	UserID string    `json:"-"`
	URL    string    `json:"url"`
	Until  time.Time `json:"expires_at"`
}

// invited invites whoever the handle names when it is an address that nobody
// has. It returns nil for people who are known.
func (e *Env) invited(ctx context.Context, place administration.Membership, handle string) (*invitation, error) {
	store, c, err := e.openStore(ctx)
	if err != nil {
		return nil, err
	}
	made, err := e.inviteUnknown(ctx, store, c, place, handle)
	err = errors.Join(err, store.Close())
	return made, whereToLook(inFlags(err, dataFlag))
}

func (e *Env) inviteUnknown(ctx context.Context, store *sqlstore.Store, c config.Config, place administration.Membership, handle string) (*invitation, error) {
	rules := e.administration(store, c)
	if err := rules.CheckPlace(ctx, place); err != nil {
		return nil, err
	}
	_, err := rules.Person(ctx, handle)
	if !administration.IsUnknownAddress(err, handle) {
		return nil, err
	}
	if c.BaseURL == "" {
		unknown := fault.From(err)
		return nil, fault.Newf(unknown.Kind, unknown.Reason,
			"%s To invite them, set PORTICO_BASE_URL: the link begins with it. Or add them first: portico user create --email %s",
			unknown.Detail, handle).At(administration.FieldUser)
	}
	newcomers := people.New(people.Options{Store: store, Ambient: e.Ambient, Passwords: password.New(e.Ambient)})
	user, link, err := newcomers.Invite(ctx, e.act(), handle)
	if err != nil {
		return nil, inFlags(err, func(*fault.Error) string { return "--user" })
	}
	return &invitation{user.ID, link.PasswordURL(c.BaseURL), link.Until}, nil
}
