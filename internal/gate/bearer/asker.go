package bearer

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/acts"
	"github.com/portico-id/portico/internal/gate/signing"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

// Change says who makes the request, and by whose rights: the user, or the app
// that acts by itself or has named one (decision J12).
func Change(r *http.Request, now time.Time, who storage.Caller) storage.Change {
	actor := storage.Actor{Kind: storage.ActorUser, ID: who.UserID}
	if who.UserID == "" || who.OnBehalf {
		actor = storage.Actor{Kind: storage.ActorClient, ID: who.ClientID}
	}
	return storage.Change{
		Act:    acts.Of(r.Context(), now, actor),
		Caller: who,
	}
}

// Asker is whoever asked for something that is used without a token later, such
// as a signed address, in the form that is kept in it. Their token is looked at
// again with each use (decision W6): whether it stands, and whether the app still
// has one of the scopes that it took.
type Asker struct {
	ClientID string `json:"c"`
	UserID   string `json:"i,omitempty"`
	OnBehalf bool   `json:"o,omitempty"`
	GrantID  string `json:"g,omitempty"`
	KeyID    string `json:"y,omitempty"`
	JTI      string `json:"j,omitempty"`

	IssuedAt int64    `json:"a,omitempty"` // of the token, Unix seconds
	Scopes   []string `json:"r,omitempty"` // none: it was made by a server that kept none

	Origins []signing.Origin `json:"x,omitempty"` // what the token was exchanged for
	Actor   *signing.Actor   `json:"t,omitempty"` // and who acts by that
}

// NewAsker returns who, with the token of their request, to do what takes one of
// the scopes.
func NewAsker(token Caller, who storage.Caller, scopes ...string) Asker {
	return Asker{
		ClientID: who.ClientID, UserID: who.UserID, OnBehalf: who.OnBehalf,
		GrantID: token.GrantID, KeyID: token.KeyID, JTI: token.JTI, IssuedAt: token.IssuedAt.Unix(),
		Scopes:  slices.DeleteFunc(slices.Clone(scopes), func(scope string) bool { return !token.Has(scope) }),
		Origins: token.Origins, Actor: token.Actor,
	}
}

// Caller returns on whose behalf the use is.
func (a Asker) Caller() storage.Caller {
	return storage.Caller{ClientID: a.ClientID, UserID: a.UserID, OnBehalf: a.OnBehalf}
}

// StillMay asks whether the asker's token still is in order, with those that it was
// exchanged for, their app has one of the scopes, and the person was proven as our own
// address demands by now. A user whom the app has named has no
// token: only the app has. The exchange learns the client and the user.
func (a *Authenticator) StillMay(ctx context.Context, who Asker) (bool, error) {
	exchange := httpio.From(ctx)
	exchange.ClientID, exchange.UserID = who.ClientID, who.UserID
	exchange.NoPerson = who.OnBehalf || who.KeyID != ""
	query := storage.TokenQuery{JTI: who.JTI, ClientID: who.ClientID, GrantID: who.GrantID, KeyID: who.KeyID}
	if who.IssuedAt != 0 {
		query.IssuedAt = time.Unix(who.IssuedAt, 0)
	}
	if !who.OnBehalf {
		query.UserID = who.UserID
	}
	state, err := a.tokens.TokenState(ctx, query)
	if err != nil || !state.Active {
		return false, err
	}
	own := signing.AccessClaims{Audience: []string{a.keys.Audience()}, ClientID: who.ClientID, UserID: query.UserID,
		Origins: who.Origins, Actor: who.Actor}
	held, err := a.originsHold(ctx, own, a.keys.Audience(), state, a.registeredOf(who.Scopes, state.Scopes))
	if err == nil {
		err = a.Proven(ctx, Caller{GrantID: who.GrantID, ACR: state.ACR, AuthTime: state.AuthTime})
	}
	if fault.Is(err, fault.Unauthenticated) {
		return false, nil
	}
	return len(who.Scopes) == 0 || len(held) > 0, err
}
