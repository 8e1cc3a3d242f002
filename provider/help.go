package provider

import (
	"net/http"

	"github.com/portico-id/portico/storage"
)

// Help is what the pages of the sign-in know of accounts: where to go without one,
// where to go for another's, and whom to tell of a sign-in. The zero value is none.
type Help struct {
	ForgottenURL string // for who does not know the password any more; empty: there is none
	SignUpURL    string // where anybody makes an account; likewise
	InviteURL    string // where who has an account invites others; likewise

	// NewDevice returns the act with word to the user of a sign-in in a browser in
	// which they had not signed in before; nil: nobody is told.
	NewDevice func(act storage.Act, user storage.User, r *http.Request) storage.Act
}

// tell adds word of the sign-in to the act, where it is due: the browser is none
// that the person is known in, and it is not their first one.
func (h Help) tell(act storage.Act, user storage.User, known string, r *http.Request) storage.Act {
	if h.NewDevice == nil || known != "" || user.LastSignInAt.IsZero() {
		return act
	}
	return h.NewDevice(act, user, r)
}
