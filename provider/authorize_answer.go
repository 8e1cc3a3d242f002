package provider

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/provider/clientprofile"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
)

// issue uses the parked request up, whoever else brings it at the same moment,
// and sends the client what it asked for.
func (p *Provider) issue(w http.ResponseWriter, r *http.Request, a *authorizeRequest, s situation, was parked) error {
	if a.responseType == "id_token" { // a code would use it up as it is kept
		if err := p.unpark(r, was); err != nil {
			return err
		}
		was = parked{}
	}
	made, err := p.make(r, a, s, was)
	if fault.HasReason(err, storage.ReasonRequestOver) {
		return was.over().Because(err)
	}
	if err != nil {
		return p.refuse(w, r, a.target, was, err)
	}
	return p.answer(w, r, a.target, []templates.Field{
		{Name: "code", Value: made.Get("code")},
		{Name: "id_token", Value: made.Get("id_token")},
	})
}

// make lets the framework make the code and the ID token.
func (p *Provider) make(r *http.Request, a *authorizeRequest, s situation, was parked) (url.Values, error) {
	ctx := withJudgedClient(r.Context(), a.client.returningTo(a.redirectURI)) // which was judged, port and all
	if err := (answers{p}).joinSession(ctx, a.client, s.session.ID); err != nil {
		return nil, err
	}
	own := newSession()
	own.code, own.parked = p.newCode(a, *s.session), was.ID
	own.frontOnly = a.responseType == "id_token"
	if !a.takenOnTrust() {
		own.rests = s.remembered
	}
	own.speakFor(grantOf(own.code))
	request, err := p.framework.NewAuthorizeRequest(ctx, a.forFramework(r))
	if err != nil {
		return nil, err
	}
	for _, one := range a.scopes {
		request.GrantScope(one)
	}
	response, err := p.framework.NewAuthorizeResponse(ctx, request, own)
	if err != nil {
		return nil, err
	}
	return response.GetParameters(), nil
}

func (p *Provider) newCode(a *authorizeRequest, session websession.Session) *storage.AuthorizeCode {
	now := p.ambient.Now()
	return &storage.AuthorizeCode{
		GrantID: p.ambient.UID(), ClientID: a.client.ID, UserID: session.UserID, SessionID: session.ID,
		RedirectURI: a.redirectURI, Scopes: a.scopes, Resources: a.resources.Identifiers(),
		Narrowed: len(a.scopes) < a.asked, Nonce: a.nonce,
		Challenge: a.challenge, ProofKey: a.proofKey, Claims: a.claims,
		AuthTime: session.AuthTime, ACR: session.ACR, AMR: session.AMR, UpstreamID: session.UpstreamID,
		IssuedAt: now, ExpiresAt: now.Add(a.client.profile.CodeLifetime(p.lifetimes.Code)),
	}
}

// forFramework is the request as the framework is to see it: only what has
// been judged, and stand-ins where its idea of a minimum differs from ours.
func (a *authorizeRequest) forFramework(r *http.Request) *http.Request {
	nonce := a.nonce
	if nonce == "" && a.responseType != "code" {
		nonce = "none" // a platform client may leave it out; the ID token then has none
	}
	form := url.Values{
		"client_id": {a.client.ID}, "redirect_uri": {a.redirectURI}, "response_type": {a.responseType},
		"scope": {strings.Join(a.scopes, " ")}, "state": {"present"}, "nonce": {nonce},
	}
	inner := r.Clone(r.Context())
	inner.Method, inner.Body, inner.ContentLength = http.MethodGet, http.NoBody, 0
	inner.Header = http.Header{}
	inner.Form, inner.PostForm = form, url.Values{}
	return inner
}

// refuse tells the client why there is nothing for it. Our own failures are
// shown to the person instead: the client could do nothing about them.
func (p *Provider) refuse(w http.ResponseWriter, r *http.Request, t target, parked parked, refusal error) error {
	if f := fault.From(refusal); f.Kind == fault.Internal || f.Kind == fault.Unavailable {
		return refusal
	}
	httpio.From(r.Context()).Err = refusal
	if err := p.unpark(r, parked); err != nil {
		return err
	}
	answer := toOAuth(refusal)
	if fault.Is(refusal, fault.Gone) {
		answer.Code = "access_denied" // of the codes an authorize answer can have
	}
	return p.answer(w, r, t, []templates.Field{
		{Name: "error", Value: answer.Code},
		{Name: "error_description", Value: answer.Description},
	})
}

// unpark uses a parked request up. Only one answer can.
func (p *Provider) unpark(r *http.Request, parked parked) error {
	if parked.ID == "" {
		return nil
	}
	err := p.store.AnswerLoginRequest(r.Context(), parked.ID, p.ambient.Now())
	if fault.Is(err, fault.NotFound) {
		return parked.over().Because(err)
	}
	return err
}

// answer sends the fields that have a value, the client's state and our issuer
// (RFC 9207) to the redirect URI in the mode asked for.
func (p *Provider) answer(w http.ResponseWriter, r *http.Request, t target, fields []templates.Field) error {
	fields = append(fields, templates.Field{Name: "state", Value: t.state}, templates.Field{Name: "iss", Value: p.issuer})
	kept := fields[:0]
	for _, f := range fields {
		if f.Value != "" {
			kept = append(kept, f)
		}
	}
	mode, signed := strings.CutSuffix(t.mode, clientprofile.ModeSigned)
	if signed {
		response, err := answers{p}.sign(r.Context(), t.client, kept)
		if err != nil {
			return err
		}
		kept = []templates.Field{{Name: "response", Value: response}}
	}
	if mode == clientprofile.ModeFormPost {
		return p.page(w, r, http.StatusOK, templates.PolicyInteractive, func() error {
			return p.pages.FormPost(w, templates.FormPostPage{Frame: webpage.Frame(r), Action: t.redirectURI, Fields: kept})
		})
	}
	redirectWith(w, t.client.profile.RedirectStatus(r.Method), withParameters(t.redirectURI, mode, kept))
	return nil
}

// withParameters adds the fields to the redirect URI, whose own query stays as
// it was registered.
func withParameters(uri, mode string, fields []templates.Field) string {
	pairs := make([]string, len(fields))
	for i, f := range fields {
		pairs[i] = f.Name + "=" + url.QueryEscape(f.Value)
	}
	answer := strings.Join(pairs, "&")
	if mode == "query" {
		return httpio.WithQuery(uri, answer)
	}
	return uri + "#" + answer
}
