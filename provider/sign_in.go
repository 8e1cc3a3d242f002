package provider

import (
	"context"
	"net/http"
	"slices"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

// goOn asks who has taken the first step for a second one where that is needed, and
// signs everybody else in.
func (p secondStep) goOn(w http.ResponseWriter, r *http.Request, v visit, s websession.SignIn) error {
	switch {
	case s.ACR == storage.ACRTwoFactors:
	case s.User.TwoFactor:
		return p.ask(w, r, v, s.User, s.Proof, codePath)
	case v.strong, p.sessions.Demands(s.User):
		return p.ask(w, r, v, s.User, s.Proof, enrolPath)
	}
	return p.signedIn(w, r, v, s)
}

// begin signs a person in and returns where they wanted to. Gone or NotFound when
// what the sign-in rests on is not so any more.
func (p secondStep) begin(w http.ResponseWriter, r *http.Request, v visit, s websession.SignIn) (to string, err error) {
	user := s.User
	defer func() { httpio.From(r.Context()).Tried(err) }()
	if err := p.mayHere(r.Context(), s); err != nil {
		return "", err
	}
	act := p.help.tell(p.act(r.Context(), storage.Actor{Kind: storage.ActorUser, ID: user.ID}), user,
		p.sessions.KnownBrowser(r, user.ID), r)
	s.Request = v.request
	if _, err := p.sessions.StartFor(w, r, s, act); err != nil {
		return "", err
	}
	if err := p.rememberBrowser(w, r, s); err != nil {
		return "", err
	}
	httpio.From(r.Context()).SignIn = "signed_in"
	p.logouts.nudge() // another person's session may have ended
	return v.goesOn(), nil
}

// rememberBrowser lets the browser have tries of its own for the password that its
// person has now, whether they typed it or not.
func (p secondStep) rememberBrowser(w http.ResponseWriter, r *http.Request, s websession.SignIn) error {
	password := s.Proof.Password
	if password == nil {
		hash, err := p.store.FindPasswordHash(r.Context(), s.User.ID)
		if err != nil {
			return err
		}
		password = storage.PasswordDigest(hash)
	}
	p.sessions.RememberBrowser(w, s.User.ID, password)
	return nil
}

// mayHere refuses who signs in at an upstream alone and did not, by whatever they
// proved who they are. Administrators get in, so that a broken upstream can be mended.
func (p secondStep) mayHere(ctx context.Context, s websession.SignIn) error {
	if s.User.Admin {
		return nil
	}
	alone, err := p.directories.Claims(ctx, s.User)
	if err != nil {
		return err
	}
	to, err := p.elsewhere.Leads(ctx, s.User.Email)
	if to != "" {
		alone = append(alone, to)
	}
	if err == nil && len(alone) > 0 && !slices.Contains(alone, s.Proof.Upstream.UpstreamID) {
		return fault.New(fault.Forbidden, "upstream_only", "People with your address sign in with their organisation.")
	}
	return err
}
