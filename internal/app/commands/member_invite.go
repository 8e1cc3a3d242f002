package commands

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/portico-id/portico/dataapi/administration"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/password"
	"github.com/portico-id/portico/provider/people"
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
	var unknown error
	err := e.withData(ctx, func(rules *administration.Rules) error {
		if err := rules.CheckPlace(ctx, place); err != nil {
			return err
		}
		_, err := rules.Person(ctx, handle)
		if administration.IsUnknownAddress(err, handle) {
			unknown = err
		}
		return err
	})
	if unknown == nil {
		return nil, err
	}
	c, err := e.config()
	if err != nil {
		return nil, err
	}
	if c.BaseURL == "" {
		return nil, fmt.Errorf("--user: %s To invite them, set PORTICO_BASE_URL: the link begins with it. Or add them first: portico user create --email %s",
			fault.From(unknown).Detail, handle)
	}
	return e.invite(ctx, c.BaseURL, handle)
}

func (e *Env) invite(ctx context.Context, baseURL, email string) (*invitation, error) {
	store, _, err := e.openStore(ctx)
	if err != nil {
		return nil, err
	}
	rules := people.New(people.Options{Store: store, Ambient: e.Ambient, Passwords: password.New(e.Ambient)})
	user, link, err := rules.Invite(ctx, e.act(), email)
	err = errors.Join(err, store.Close())
	if err != nil {
		return nil, inFlags(err, func(*fault.Error) string { return "--user" })
	}
	return &invitation{user.ID, link.PasswordURL(baseURL), link.Until}, nil
}
