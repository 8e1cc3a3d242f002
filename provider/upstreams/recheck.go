package upstreams

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"slices"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/acts"
	"github.com/portico-id/portico/internal/gate/jwt"
	"github.com/portico-id/portico/storage"
)

// Where an upstream gives a refresh token, it is asked with it whether somebody is still
// there: as an app goes on that they came to by it, and while they are signed in by it
// (recheck_round.go). At most as often as recheck says, by one request at a time. What it
// does not answer says nothing, for a day.

const (
	refreshLabel  = "refresh token of an upstream"
	recheckBudget = 2 * time.Second // an app that goes on waits no longer
	recheckGrace  = 24 * time.Hour
	recheckRest   = 10 * time.Second // after the grace: how soon it is asked again
)

var (
	errGone = fault.New(fault.Invalid, "invalid_grant",
		"The provider that the person came by says that their access has ended.")
	errUntold = fault.New(fault.Invalid, "invalid_grant",
		"The provider that the person came by has not said for a day that they are still there.")
)

func (u *Upstreams) sealRefresh(token, id, subject string) []byte {
	return u.with.Ring.Seal(refreshLabel, []byte(token), []byte(id+" "+subject))
}

// keepRecheck notes that the person is there, who has just come from there.
func (u *Upstreams) keepRecheck(ctx context.Context, said proof, now time.Time) error {
	if said.refresh == nil && !slices.Contains(said.config.Scopes, "offline_access") {
		return nil
	}
	return u.with.Store.KeepRecheck(ctx, storage.UpstreamRecheck{UpstreamID: said.upstream.ID, Issuer: said.issuer,
		Subject: said.subject, Token: said.refresh, AskedAt: now, ToldAt: now})
}

// Stays implements provider.Elsewhere.
func (u *Upstreams) Stays(ctx context.Context, upstreamID, userID string) error {
	all, err := u.with.Store.ListRechecks(ctx, upstreamID, userID)
	if err != nil || len(all) == 0 {
		return err
	}
	upstream, config, err := u.find(ctx, upstreamID)
	if err != nil || config.recheck() <= 0 {
		return err
	}
	for _, one := range all {
		if err := u.stays(ctx, upstream, config, one); err != nil {
			return err
		}
	}
	return nil
}

func (u *Upstreams) stays(ctx context.Context, upstream storage.Upstream, config Config,
	one storage.UpstreamRecheck) error {
	now := u.with.Ambient.Now()
	every, late := config.recheck(), now.Sub(one.ToldAt) > recheckGrace
	if late {
		every = recheckRest
	}
	told, passed := false, now.Sub(one.AskedAt)
	switch {
	case passed >= every || passed <= -RecheckEvery: // whoever asked was ahead
		said, err := u.claim(ctx, asking{upstream, config, one}, recheckBudget)
		switch {
		case err != nil:
			return err
		case isGone(said.err):
			return said.err
		case late && !said.mine:
			return errUnreachable // it was not asked, which is not its silence
		}
		told = said.mine && said.err == nil
	case late && passed < recheckBudget:
		return errUnreachable // another asks at this moment
	}
	if late && !told {
		return errUntold
	}
	return nil
}

// asking is a question about one identity of a user.
type asking struct {
	upstream storage.Upstream
	config   Config
	recheck  storage.UpstreamRecheck
}

func isGone(err error) bool { return fault.HasReason(err, errGone.Reason) }

// wait asks, and waits so long for the answer. What comes later counts, too: the token
// that was shown may be good for nothing any more, and the next one is in the answer.
// Any error but errGone says nothing about the person.
func (u *Upstreams) wait(ctx context.Context, a asking, budget time.Duration, leave func()) (err error) {
	answer := make(chan error, 1)
	go func() {
		defer leave()
		answer <- u.ask(context.WithoutCancel(ctx), a)
	}()
	timer := time.NewTimer(budget)
	defer timer.Stop()
	select {
	case err = <-answer:
	case <-timer.C:
		err = errUnreachable.Because(causef("it does not answer in time"))
	case <-ctx.Done():
		return ctx.Err()
	}
	if err != nil && !isGone(err) {
		u.with.Log.WarnContext(ctx, "an upstream did not say whether somebody is still there", "upstream", a.upstream.ID,
			"cause", err.Error())
	}
	return err
}

// ask is errGone for who is there no more, and ends what rests on the upstream of
// theirs; any other error says nothing about them.
func (u *Upstreams) ask(ctx context.Context, a asking) error {
	remote := u.remote(a.upstream, a.config)
	meta, err := remote.known(ctx)
	if err != nil {
		return err
	}
	aad := []byte(a.recheck.UpstreamID + " " + a.recheck.Subject)
	token, _, err := u.with.Ring.Open(refreshLabel, a.recheck.Token, aad)
	if err != nil {
		return err
	}
	got, err := u.askTokens(ctx, remote, meta, a.upstream, url.Values{"grant_type": {"refresh_token"},
		"refresh_token": {string(token)}})
	if got.Error == "invalid_grant" {
		return u.gone(ctx, a)
	}
	if err != nil {
		return err
	}
	return u.told(ctx, remote, a, got, string(token))
}

func (u *Upstreams) act(ctx context.Context) storage.Act {
	return acts.Of(ctx, u.with.Ambient.Now(), storage.Actor{Kind: storage.ActorSystem})
}

// gone ends what rests on the upstream of theirs, unless they have come by it since.
func (u *Upstreams) gone(ctx context.Context, a asking) error {
	err := u.with.Store.EndRechecked(ctx, u.act(ctx), a.recheck)
	if fault.HasReason(err, storage.ReasonToldSince) {
		return causef("it refused a refresh token that another has taken the place of")
	}
	if err != nil && !fault.Is(err, fault.NotFound) {
		return err
	}
	return errGone
}

// told keeps the next token, whatever else is in the answer, and takes over the groups.
func (u *Upstreams) told(ctx context.Context, remote *remote, a asking, got tokens, before string) error {
	now, next := u.with.Ambient.Now(), a.recheck
	got.Refresh = cmp.Or(got.Refresh, before)
	next.Token, next.AskedAt = u.sealRefresh(got.Refresh, next.UpstreamID, next.Subject), now
	said, err := proof{}, error(nil)
	if got.ID != "" {
		said, err = u.same(ctx, remote, a, got.ID)
	}
	if err == nil {
		next.ToldAt = now
	}
	if kept := u.with.Store.KeepRecheck(ctx, next); kept != nil || err != nil || !said.grouped {
		return errors.Join(err, kept)
	}
	return u.with.Store.MeetGroups(ctx, u.act(ctx), a.upstream.ID, a.recheck.UserID, said.groups, a.config.OwnGroups)
}

// same reads the ID token of an answer, which must be about the same person (OpenID
// Connect Core 12.2).
func (u *Upstreams) same(ctx context.Context, remote *remote, a asking, token string) (proof, error) {
	claims, payload, err := remote.open(ctx, token, jwt.TypePlain, jwt.TypeNone)
	if err != nil {
		return proof{}, err
	}
	said := newProof(a.upstream, a.config, claims)
	if said.issuer != a.recheck.Issuer || said.subject != a.recheck.Subject {
		return proof{}, causef("the ID token is about another person")
	}
	said.readGroups(payload)
	return said, nil
}
