package bearer

import (
	"context"
	"net/http"
	"time"

	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

// Change says who makes the request, and by whose rights: the user, or the app
// that acts by itself or has named one (decision J12).
func Change(r *http.Request, now time.Time, who storage.Caller) storage.Change {
	exchange := httpio.From(r.Context())
	actor := storage.Actor{Kind: storage.ActorUser, ID: who.UserID}
	if who.UserID == "" || who.OnBehalf {
		actor = storage.Actor{Kind: storage.ActorClient, ID: who.ClientID}
	}
	return storage.Change{
		Act:    storage.Act{At: now, Actor: actor, RequestID: exchange.RequestID, Address: exchange.Address},
		Caller: who,
	}
}

// Asker is whoever asked for something that is used without a token later, such
// as a signed address, in the form that is kept in it. Their token is looked at
// again with each use (decision W6).
type Asker struct {
	ClientID string `json:"c"`
	UserID   string `json:"i,omitempty"`
	OnBehalf bool   `json:"o,omitempty"`
	GrantID  string `json:"g,omitempty"`
	KeyID    string `json:"y,omitempty"`
	JTI      string `json:"j,omitempty"`
}

// NewAsker returns who, with the token of their request.
func NewAsker(token Caller, who storage.Caller) Asker {
	return Asker{
		ClientID: who.ClientID, UserID: who.UserID, OnBehalf: who.OnBehalf,
		GrantID: token.GrantID, KeyID: token.KeyID, JTI: token.JTI,
	}
}

// Caller returns on whose behalf the use is.
func (a Asker) Caller() storage.Caller {
	return storage.Caller{ClientID: a.ClientID, UserID: a.UserID, OnBehalf: a.OnBehalf}
}

// Active asks whether the token still is in order. A user whom the app has named
// has no token: only the app has. The exchange learns the client and the user.
func (a Asker) Active(ctx context.Context, tokens Tokens) (bool, error) {
	exchange := httpio.From(ctx)
	exchange.ClientID, exchange.UserID = a.ClientID, a.UserID
	query := storage.TokenQuery{JTI: a.JTI, ClientID: a.ClientID, GrantID: a.GrantID, KeyID: a.KeyID}
	if !a.OnBehalf {
		query.UserID = a.UserID
	}
	return tokens.TokenActive(ctx, query)
}
