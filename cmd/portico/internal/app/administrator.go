package app

import (
	"context"
	"fmt"

	"github.com/portico-id/portico/cmd/portico/internal/config"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/provider/people"
	"github.com/portico-id/portico/storage"
)

// firstAdministrator creates the administrator that the settings name, but only
// while there is none: later the settings are without effect, so that they are
// no way back in.
func (p *parts) firstAdministrator(ctx context.Context, c config.Config) error {
	if c.AdminEmail == "" {
		return nil
	}
	count, err := p.Store.CountAdmins(ctx)
	if err != nil || count > 0 {
		return err
	}
	act := storage.Act{At: p.Ambient.Now(), Actor: storage.Actor{Kind: storage.ActorOperator}}
	user, err := p.People().Create(ctx, act, people.Newcomer{
		Email: c.AdminEmail, EmailVerified: true, Name: "Administrator",
		Password: c.AdminPassword.Reveal(), Admin: true,
	})
	if fault.HasReason(err, storage.ReasonEmailTaken) {
		return p.takenByWhom(ctx, c.AdminEmail, err)
	}
	if f := fault.From(err); f != nil && f.Source == people.FieldPassword {
		return config.Blame("PORTICO_ADMIN_PASSWORD_FILE", err)
	}
	if err != nil {
		return fmt.Errorf("creating the first administrator: %w", err)
	}
	p.Log.InfoContext(ctx, "created the first administrator", "user_id", user.ID)
	return nil
}

// takenByWhom lets pass that another server, started at the same moment, was
// first.
func (p *parts) takenByWhom(ctx context.Context, email string, taken error) error {
	user, _, err := p.Store.FindUserByLogin(ctx, email)
	if err == nil && user.Admin {
		return nil
	}
	return config.Blame("PORTICO_ADMIN_EMAIL", taken)
}
