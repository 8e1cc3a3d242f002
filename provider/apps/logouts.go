package apps

import (
	"context"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// checkReach refuses an address, that of the field, that the server does not
// call: whoever registers it is there to mend it, and later nobody is. Names are
// looked up for administrators alone: anybody may register an app, and could ask
// which names there are in the server's network.
func (a *Apps) checkReach(ctx context.Context, address, field string, byAdministrator bool) error {
	err := a.outbound.CheckUnseen(address)
	if byAdministrator {
		_, err = a.outbound.Check(ctx, address)
	}
	if err == nil {
		return nil
	}
	f := fault.From(err)
	return f.Retold(fault.Invalid, f.Reason).At(field)
}

const unknownHost = "No name server knows the host of the back-channel logout URL. It is called all the same, in case one does then."

// Notices tells an administrator what may be wrong with what the client is
// registered with, and may be right tomorrow.
func (a *Apps) Notices(ctx context.Context, c storage.Client) []string {
	if c.BackchannelLogoutURI == "" {
		return nil
	}
	known, err := a.outbound.Check(ctx, c.BackchannelLogoutURI)
	if known || err != nil {
		return nil
	}
	return []string{unknownHost}
}

// Logouts returns a page of what the client was or is to be told of sessions
// that ended, newest first, and the next cursor.
func (a *Apps) Logouts(ctx context.Context, clientID string,
	page storage.PageRequest) ([]storage.LogoutDelivery, string, error) {
	return a.store.ListLogoutDeliveries(ctx, clientID, page)
}
