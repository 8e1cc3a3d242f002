package provider

import (
	"context"
	"net/http"
	"net/url"
	"slices"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/signing"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/ratelimit"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/provider/redirecturi"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
)

// logoutRequest is a logout request that may be followed.
type logoutRequest struct {
	clientID string // of the client that the hint or the address shows to be behind it; empty: none
	to       string // where the browser goes afterwards; empty: to our own page
	state    string
	hint     *signing.IDHint
	bare     bool // it names nobody but the person: neither a hint nor an address is there
	trusted  bool // a hint or a platform client stands behind it: no question asked
	doubtful bool // the hint can't be read: forged, or older than the keys we still know
}

// logout serves GET and POST of logoutPath: the platform's logout redirect and
// OpenID Connect's RP-initiated logout together (decisions L1 and L2).
func (p *Provider) logout(w http.ResponseWriter, r *http.Request) error {
	params, err := readEither(w, r)
	if err != nil {
		return err
	}
	request, err := p.checkLogout(r.Context(), params)
	if over := p.calls.at(r.Context(), w.Header(), ratelimit.Logout, request.clientID); over != nil {
		return over
	}
	if err != nil {
		return err
	}
	session, signedIn, err := p.sessions.Find(r)
	if err != nil {
		return err
	}
	switch elsewhere := fromAnotherSite(r); {
	case signedIn && (!request.mayEnd(session) || request.bare && elsewhere):
		return p.confirmSignOut(w, r, request, session)
	case !signedIn && elsewhere && r.Method == http.MethodPost:
		// The form came without our cookie (SameSite); by GET it comes along, and
		// there is a session to ask about and to end.
		redirect(w, r, logoutPath+"?"+params.Encode())
		return nil
	}
	return p.endAndLeave(w, r, request)
}

// fromAnotherSite reports whether the browser says that another site sent it.
// Programs and old browsers say nothing.
func fromAnotherSite(r *http.Request) bool { return r.Header.Get("Sec-Fetch-Site") == "cross-site" }

func readEither(w http.ResponseWriter, r *http.Request) (url.Values, error) {
	if r.Method == http.MethodPost {
		return httpio.ReadForm(w, r)
	}
	return httpio.ReadQuery(r)
}

// checkLogout finds out where the browser may go. An address that nobody
// registered ends at our error page, never in a redirect (RFC 9700 4.11).
func (p *Provider) checkLogout(ctx context.Context, params url.Values) (logoutRequest, error) {
	request := logoutRequest{state: params.Get("state")}
	clientID, err := p.logoutClient(ctx, params, &request)
	if err != nil {
		return request, err
	}
	if request.doubtful {
		return request, nil // a page asks the person; nobody is redirected to
	}
	uri := params.Get("post_logout_redirect_uri")
	if uri == "" {
		request.bare = request.hint == nil
		request.trusted = true // nobody gains by it: the person stays with us
		return request, nil
	}
	found, err := p.registrant(ctx, uri, clientID)
	if err != nil {
		return request, err
	}
	request.clientID, request.to = found.ID, uri
	request.trusted = request.hint != nil || !found.profile.LogoutNeedsHint()
	return request, nil
}

// logoutClient returns the client that the request names by hint or client_id,
// "" for none.
func (p *Provider) logoutClient(ctx context.Context, params url.Values, request *logoutRequest) (string, error) {
	clientID := params.Get("client_id")
	raw := params.Get("id_token_hint")
	if raw == "" {
		return clientID, nil
	}
	hint, err := p.keys.VerifyIDHint(ctx, raw)
	if err != nil {
		request.doubtful = true
		return "", nil
	}
	if clientID != "" && !slices.Contains(hint.Audience, clientID) {
		return "", fault.New(fault.Invalid, "invalid_request", "The client_id and the id_token_hint name different apps.")
	}
	if clientID == "" && len(hint.Audience) > 0 {
		clientID = hint.Audience[0]
	}
	request.clientID, request.hint = clientID, &hint
	return clientID, nil
}

// registrant returns the client that registered the address: the named one, or
// without a name a platform client (decision L2).
func (p *Provider) registrant(ctx context.Context, uri, clientID string) (*client, error) {
	refusal := fault.New(fault.Invalid, "invalid_request", "The address to go to after signing out is not registered.")
	if clientID != "" {
		c, err := p.clients.find(ctx, clientID)
		if fault.Is(err, fault.NotFound) || err == nil && !slices.Contains(c.PostLogoutRedirectURIs, uri) {
			return nil, refusal
		}
		return c, err
	}
	if len(uri) > redirecturi.MaxLength {
		return nil, refusal
	}
	registered, err := p.store.FindPostLogoutClients(ctx, uri)
	if err != nil {
		return nil, err
	}
	for _, record := range registered {
		if c := newClient(record); !c.profile.LogoutNeedsHint() {
			return c, nil
		}
	}
	return nil, refusal
}

// mayEnd reports whether the session may be ended without asking the person: a
// hint must be about them.
func (l logoutRequest) mayEnd(session websession.Session) bool {
	return l.trusted && (l.hint == nil || l.hint.Subject == session.UserID)
}

// confirmSignOut asks the person. The form names the client that was proven,
// not the one that the request may have named.
func (p *Provider) confirmSignOut(w http.ResponseWriter, r *http.Request, request logoutRequest,
	session websession.Session) error {
	page := templates.SignOutPage{Frame: webpage.Frame(r), Account: session.User.Email, Action: signOutPath}
	if request.to != "" {
		page.Fields = []templates.Field{
			{Name: "post_logout_redirect_uri", Value: request.to},
			{Name: "client_id", Value: request.clientID},
			{Name: "state", Value: request.state},
		}
	}
	return p.page(w, r, http.StatusOK, templates.PolicyInteractive, func() error { return p.pages.SignOut(w, page) })
}

// signOut is what the person decided on our own page. It holds whatever has
// become of the address to go to since.
func (p *Provider) signOut(w http.ResponseWriter, r *http.Request) error {
	form, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	request, err := p.checkLogout(r.Context(), form)
	if fault.Is(err, fault.Invalid) {
		request, err = logoutRequest{}, nil
	}
	if err != nil {
		return err
	}
	return p.endAndLeave(w, r, request)
}

// endAndLeave ends the session on the server and in the browser, and goes to
// the registered address or to the sign-in page, which says so.
func (p *Provider) endAndLeave(w http.ResponseWriter, r *http.Request, request logoutRequest) error {
	act, to := p.act(r.Context(), storage.Actor{Kind: storage.ActorUser}), request.next()
	session, signedIn, err := p.sessions.Find(r)
	if err != nil {
		return err
	}
	hint := ""
	if signedIn {
		act.Actor.ID, hint = session.UserID, arriving{p}.hint(r.Context(), session.LoginSession)
	}
	if err := p.sessions.End(w, r, act); err != nil {
		return err
	}
	p.logouts.nudge()
	leaving := arriving{p}.leaving(r.Context(), session.LoginSession, hint, to)
	if leaving.URL != "" {
		return arriving{p}.offerLeaving(w, r, leaving)
	}
	redirect(w, r, to)
	return nil
}

// next is where the browser goes once the session has ended.
func (l logoutRequest) next() string {
	switch {
	case l.to == "":
		return loginPath + "?signed_out=1"
	case l.state == "":
		return l.to
	}
	return withParameters(l.to, "query", []templates.Field{{Name: "state", Value: l.state}})
}

// LogoutDeliveries returns what tells clients of ended sessions.
func (p *Provider) LogoutDeliveries() *LogoutDeliveries { return p.logouts }
