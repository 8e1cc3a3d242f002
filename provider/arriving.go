package provider

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// UpstreamPath is where a visit to the upstream begins.
func UpstreamPath(id string) string { return loginPath + "/upstream/" + id }

// Arriving returns what signs in whom an upstream vouches for: with a second step
// where one is needed, and on to the parked request or, without one, to then.
func Arriving(p *Provider) func(w http.ResponseWriter, r *http.Request, s websession.SignIn, then string) error {
	return arriving{p}.arrive
}

// WantsFresh returns what reports how long ago whoever signs in for the parked request may have
// proven who they are, negative: any time, and whether that counts only where it is told when.
// An app asks for a new sign-in; a resource may demand one so late that nothing else is.
func WantsFresh(p *Provider) func(ctx context.Context, request string) (within time.Duration, told bool, err error) {
	return func(ctx context.Context, id string) (time.Duration, bool, error) {
		request, err := p.store.FindLoginRequest(ctx, id, p.ambient.Now())
		if err != nil {
			return 0, false, err
		}
		a, err := p.parkedAuthorize(ctx, request)
		switch {
		case err != nil:
			return 0, false, err
		case a.prompt("login") || a.params.Has("max_age"):
			return 0, true, nil
		}
		within := time.Duration(a.maxAge) * time.Second
		return within, within >= 0 && within <= websession.FreshFor, nil
	}
}

// ClientErrors returns what writes failures for programs, as revocation has them.
func ClientErrors(p *Provider) httpio.ErrorWriter { return p.writeClientError }

// arriving is the way to upstreams, and back.
type arriving struct{ *Provider }

func (p arriving) arrive(w http.ResponseWriter, r *http.Request, s websession.SignIn, then string) error {
	hash, err := p.store.FindPasswordHash(r.Context(), s.User.ID)
	if err != nil {
		return err
	}
	s.Proof.Password, s.Proof.TwoFactor = storage.PasswordDigest(hash), s.User.TwoFactor
	inner := r.Clone(r.Context()) // the visit is the one that led to the upstream
	inner.URL = &url.URL{Path: loginPath, RawQuery: url.Values{"then": {websession.Then(then)}}.Encode()}
	if s.Request != "" {
		inner.URL.RawQuery = url.Values{"request": {s.Request}}.Encode()
	} else if query, led := strings.CutPrefix(websession.Then(then), loginPath+"?"); led {
		inner.URL.RawQuery = query // of who proves anew who they are
	}
	v, err := p.visitOf(inner)
	if err != nil {
		return err
	}
	return p.second().goOn(w, r, v, s)
}

// offer puts onto the sign-in page where else people sign in.
func (p arriving) offer(r *http.Request, v *visit) error {
	all, err := p.elsewhere.Offered(r.Context())
	for _, upstream := range all {
		v.page.Elsewhere = append(v.page.Elsewhere, templates.Link{
			URL: v.at(UpstreamPath(upstream.ID)), Text: texts.Say("sign-in.with", "Name", upstream.Name),
		})
	}
	return err
}

// lead sends somebody to the upstream who signs in there alone. What they typed as
// password was not looked at.
func (p arriving) lead(w http.ResponseWriter, r *http.Request, v visit, to string, err error) error {
	if err != nil {
		return err
	}
	at, err := url.Parse(v.at(UpstreamPath(to)))
	if err != nil {
		return err
	}
	query := at.Query()
	query.Set("login_hint", v.page.Username)
	at.RawQuery = query.Encode()
	redirect(w, r, at.String())
	return nil
}
