package upstreams

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/acts"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/provider/said"
	"github.com/portico-id/portico/storage"
)

var (
	errNoAccount = fault.New(fault.Forbidden, "no_account_here",
		"There is no account here for the identity that you showed. Ask an administrator of this server for one.")
	errAccountDisabled = fault.New(fault.Forbidden, "account_disabled", "Your account here is disabled.")
)

// arrive decides who somebody is whom the upstream vouches for, and goes on: by their
// identity alone, by an address only where both sides have proven it and the
// administrator says that this is enough, else as somebody new, if such are let in.
func (p *Pages) arrive(w http.ResponseWriter, r *http.Request, attempt storage.UpstreamAttempt, said proof) error {
	if attempt.UserID != "" {
		return p.offer(w, r, pendingOf(said, attempt, p.with.Ambient.Now()), confirmPath)
	}
	identity, err := p.with.Store.FindIdentity(r.Context(), said.upstream.ID, said.issuer, said.subject)
	if fault.Is(err, fault.NotFound) {
		return p.newcomer(w, r, attempt, said)
	}
	if err != nil {
		return err
	}
	return p.known(w, r, attempt, said, identity)
}

// known signs in whose identity it is.
func (p *Pages) known(w http.ResponseWriter, r *http.Request, attempt storage.UpstreamAttempt, said proof,
	identity storage.UpstreamIdentity) error {
	ctx, now := r.Context(), p.with.Ambient.Now()
	user, err := p.with.Store.FindUser(ctx, identity.UserID)
	if err != nil {
		return err
	}
	if user.Disabled {
		return errAccountDisabled
	}
	identity.Email, identity.LastAt, identity.EndedAt = said.Email, now, time.Time{}
	if err := p.with.Store.NoteIdentity(ctx, identity); err != nil {
		return err
	}
	if err := p.keepRecheck(ctx, said, now); err != nil {
		return err
	}
	if said.grouped {
		err := p.with.Store.MeetGroups(ctx, p.actOf(r, user.ID), said.upstream.ID, user.ID, said.groups,
			said.config.OwnGroups)
		if err != nil {
			return err
		}
	}
	signIn := websession.SignIn{
		User: user, Request: attempt.Request, ACR: said.acr, AMR: said.amr, AuthTime: said.authTime,
		Proof: storage.Proof{Upstream: identity, UpstreamSID: said.sid, UpstreamHint: said.hint},
	}
	if said.authTime.IsZero() {
		signIn.AuthTime, signIn.CameAt = untold(now, again(attempt))
	}
	return p.page.Arrive(w, r, signIn, attempt.Then)
}

// untold is when a person proved who they are whose upstream does not say, and when they
// came from there. The first counts as longer ago than grave acts allow, and they are
// allowed by the second, of whoever came to do one: a session that was stolen here does not
// open the upstream, and there is no stronger proof to be had of somebody who signs in
// there alone.
func untold(now time.Time, again bool) (proven, came time.Time) {
	if again {
		came = now
	}
	return now.Add(-websession.FreshFor - time.Second), came
}

func (p *Pages) actOf(r *http.Request, userID string) storage.Act {
	return acts.Of(r.Context(), p.with.Ambient.Now(), storage.Actor{Kind: storage.ActorUser, ID: userID})
}

// newcomer is somebody whose identity is not known yet. What they learn of an account
// with their address they learn only if the address is theirs.
func (p *Pages) newcomer(w http.ResponseWriter, r *http.Request, attempt storage.UpstreamAttempt, said proof) error {
	if said.verified {
		user, _, err := p.with.Store.FindUserByLogin(r.Context(), said.Email)
		if err == nil {
			return p.addressed(w, r, attempt, said, user)
		}
		if !fault.Is(err, fault.NotFound) {
			return err
		}
	}
	if !said.joins() {
		return errNoAccount
	}
	return p.join(w, r, attempt, said)
}

// addressed is somebody whose proven address an account here has: another one's, or
// their own, which another of their windows made this moment.
func (p *Pages) addressed(w http.ResponseWriter, r *http.Request, attempt storage.UpstreamAttempt, said proof,
	user storage.User) error {
	identity, err := p.with.Store.FindIdentity(r.Context(), said.upstream.ID, said.issuer, said.subject)
	if fault.Is(err, fault.NotFound) {
		return p.neighbour(w, r, attempt, said, user)
	}
	if err != nil {
		return err
	}
	return p.known(w, r, attempt, said, identity)
}

// joins reports whether the person becomes a user by arriving.
func (s *proof) joins() bool {
	switch s.config.Join {
	case JoinOpen:
		return domainOf(s.Email) != ""
	case JoinDomain:
		return s.verified && said.Within(s.Email, s.config.From)
	}
	return false
}

func (p *Pages) join(w http.ResponseWriter, r *http.Request, attempt storage.UpstreamAttempt, said proof) error {
	now := p.with.Ambient.Now()
	user := storage.User{ID: p.with.Ambient.PersonID(), CreatedAt: now, UpdatedAt: now}
	if err := p.call(&user, said); err != nil {
		return errNoAccount.Because(err)
	}
	identity := said.identity(user.ID, now)
	err := p.with.Store.JoinByIdentity(r.Context(), p.actOf(r, user.ID), user, identity)
	if err == nil {
		return p.known(w, r, attempt, said, identity)
	}
	if !fault.Is(err, fault.Conflict) {
		return err
	}
	identity, err = p.with.Store.FindIdentity(r.Context(), said.upstream.ID, said.issuer, said.subject)
	if fault.Is(err, fault.NotFound) { // the address is somebody else's
		return errNoAccount
	}
	if err != nil { // the same person arrived in two windows
		return err
	}
	return p.known(w, r, attempt, said, identity)
}

// call gives a newcomer the address and the names that the upstream tells, as far as anybody
// may have them: a name that does not fit is left out, and they are called by its parts.
func (p *Pages) call(user *storage.User, said proof) error {
	if err := p.with.Set(user, "email", said.Email); err != nil {
		return err
	}
	user.EmailVerified = said.verified
	for _, one := range [][2]string{{"given_name", said.GivenName}, {"family_name", said.FamilyName},
		{"name", said.GivenName + " " + said.FamilyName}, {"name", said.Name}} {
		_ = p.with.Set(user, one[0], one[1])
	}
	return nil
}

// neighbour is somebody whose proven address an account here has.
func (p *Pages) neighbour(w http.ResponseWriter, r *http.Request, attempt storage.UpstreamAttempt, said proof,
	user storage.User) error {
	if user.Disabled || user.Admin && !user.EmailVerified || !textkey.SameMailbox(said.Email, user.Email) {
		return errNoAccount // accounts are found by a key in which ß is ss
	}
	if !user.EmailVerified { // whoever made it may not be the one who arrives
		owners, err := p.with.Store.FindSCIMOwners(r.Context(), []string{user.ID})
		if err == nil && len(owners) > 0 { // it is its company's, which says whose it is
			err = errNoAccount
		}
		if err != nil {
			return err
		}
		return p.claims(w, r, attempt, said, user)
	}
	links, err := p.linksByAddress(r.Context(), said, user)
	if err != nil {
		return err
	}
	if links {
		identity := said.identity(user.ID, p.with.Ambient.Now())
		err := p.with.Store.LinkByAddress(r.Context(), p.actOf(r, user.ID), identity)
		if err == nil {
			return p.known(w, r, attempt, said, identity)
		}
		if !fault.HasReason(err, storage.ReasonNotByAddress) {
			return err
		}
	}
	waits := pendingOf(said, attempt, p.with.Ambient.Now())
	waits.UserID = user.ID // whoever else signs in there did not show whose address it is
	return p.offer(w, r, waits, "/login?then="+url.QueryEscape(confirmPath))
}

// linksByAddress reports whether the address is enough: where the administrator says so, and
// of whom signs in there alone, who can't say here that the account is theirs. No account is
// that somebody has come to from there, whose address may have become another's.
func (p *Pages) linksByAddress(ctx context.Context, said proof, user storage.User) (bool, error) {
	if said.config.Link == LinkVerified {
		return true, nil
	}
	to, err := p.Leads(ctx, user.Email)
	if err != nil || to != said.upstream.ID || user.Admin {
		return false, err
	}
	all, err := p.with.Store.ListIdentities(ctx, user.ID)
	came := func(one storage.UpstreamIdentity) bool { // in another window they may have this moment
		return one.UpstreamID == to && (one.Issuer != said.issuer || one.Subject != said.subject)
	}
	if err == nil && slices.ContainsFunc(all, came) {
		err = errNoAccount
	}
	return true, err
}

// identity is what the upstream knows the user by.
func (s *proof) identity(userID string, now time.Time) storage.UpstreamIdentity {
	return storage.UpstreamIdentity{UpstreamID: s.upstream.ID, Issuer: s.issuer, Subject: s.subject, UserID: userID,
		Email: s.Email, LinkedAt: now}
}
