package apps

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// Flows are what an app does with the token endpoint: package provider.
type Flows interface {
	// TryAsk returns what a browser takes to authorize for the request, which is
	// pushed in the name of a client that has to do so.
	TryAsk(r *http.Request, clientID string, request url.Values) (url.Values, error)

	// TryOut exchanges the form for tokens in the name of the client, asks user
	// info, and ends the tokens. Faults have OAuth's code as their reason.
	TryOut(r *http.Request, clientID string, form url.Values) (tokens, person map[string]any, err error)
}

// showTry serves the page that tries an app out, and its form, which begins the
// app's own flow.
func (p *Portal) showTry(w http.ResponseWriter, r *http.Request, v websession.Visit, c storage.Client) error {
	key, err := p.tryKey(c, v.UserID)
	if err != nil {
		return err
	}
	return p.tryPage(w, r, c, templates.TryPage{Form: tryForm(c), Key: key})
}

func (p *Portal) tryPage(w http.ResponseWriter, r *http.Request, c storage.Client, page templates.TryPage) error {
	page.Desk, page.Back, page.AppName = desk(r), backToApp(c), c.Name
	policy := templates.PolicyOwn
	if page.Key != nil {
		policy = templates.PolicyCalling
	}
	return p.with.Web.SendUnder(policy, w, http.StatusOK, func(out io.Writer) error { return p.with.Pages.Try(out, page) })
}

func tryForm(c storage.Client) templates.Form {
	form := templates.Form{ID: "try-form", Action: tryPath(c), Submit: texts.Say("app.try-sign-in")}
	if c.Type == storage.ClientService {
		form.Submit = texts.Say("app.try-token")
	}
	input := templates.Input{Kind: templates.InputChoices, Name: FieldScopes, Label: texts.Say("app.try-ask-for")}
	for _, name := range tryScopes(c) {
		input.Options = append(input.Options, templates.Option{Value: name, Label: texts.Own(name),
			Hint: templates.ScopeText(name), Chosen: true})
	}
	form.Inputs = append(form.Inputs, input)
	return form
}

// tryScopes are those of the client that make sense in its flow. The scopes of
// the administration API are left out: a try-out is no way to a token for it.
func tryScopes(c storage.Client) []string {
	return slices.DeleteFunc(slices.Clone(c.Scopes), func(name string) bool {
		if c.Type == storage.ClientService {
			return scope.NeedsUser(name)
		}
		return scope.NeedsApplication(name) || scope.NeedsAdministrator(name)
	})
}

func (p *Portal) try(w http.ResponseWriter, r *http.Request, v websession.Visit, c storage.Client) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	asked := scope.Format(webpage.Chosen(values, FieldScopes, tryScopes(c)))
	if c.Type == storage.ClientService {
		return p.tryExchange(w, r, v, c, url.Values{"grant_type": {"client_credentials"}, "scope": {asked}})
	}
	ticket, callback, err := p.with.Tickets.issue(c.ID, v.UserID, false)
	if err != nil {
		return err
	}
	challenge := sha256.Sum256([]byte(ticket.Verifier))
	asking, err := p.with.Flows.TryAsk(r, c.ID, url.Values{
		"response_type": {"code"}, "client_id": {c.ID}, "redirect_uri": {callback}, "scope": {asked}, "state": {ticket.State},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(challenge[:])}, "code_challenge_method": {"S256"},
	})
	if err != nil {
		return err
	}
	return webpage.See(w, r, "/authentication/v2/authorize?"+asking.Encode())
}

// answerOf returns the parameters of authorize's answer. Where it is signed they are
// read without a look at the signature: the ticket and the code are proven as well.
func answerOf(query url.Values) url.Values {
	_, rest, _ := strings.Cut(query.Get("response"), ".")
	claims, _, _ := strings.Cut(rest, ".")
	text, err := sealing.Decode(claims)
	var signed struct {
		State, Code, Error string

		Detail string `json:"error_description"`
	}
	if err != nil || json.Unmarshal(text, &signed) != nil || !query.Has("response") {
		return query
	}
	return url.Values{
		"ticket": query["ticket"], "state": {signed.State}, "code": {signed.Code},
		"error": {signed.Error}, "error_description": {signed.Detail},
	}
}

func (p *Portal) tryBack(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	query, err := httpio.ReadQuery(r)
	if err != nil {
		return err
	}
	query = answerOf(query)
	ticket, good := p.with.Tickets.open(query.Get("ticket"))
	if !good || query.Get("state") != ticket.State || ticket.UserID != v.UserID {
		return fault.New(fault.Gone, "try_over", "This try-out took too long, or somebody else started it.")
	}
	c, err := p.apps.Managed(r.Context(), v.UserID, ticket.ClientID)
	if err != nil {
		return err
	}
	if ticket.Own {
		return p.tryPage(w, r, c, templates.TryPage{HandsOver: ticket.State})
	}
	if code := query.Get("error"); code != "" {
		return p.tryPage(w, r, c, templates.TryPage{Error: code, Detail: texts.Own(query.Get("error_description")),
			Form: tryForm(c)})
	}
	// The address comes again when somebody reloads or goes back: the code was
	// redeemed then, and what came of it is shown again.
	return p.gate.Once(w, r, v, ticket.State, func(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
		return p.tryExchange(w, r, v, c, url.Values{
			"grant_type": {"authorization_code"}, "code": {query.Get("code")}, "code_verifier": {ticket.Verifier},
			"redirect_uri": {p.with.Tickets.address(query.Get("ticket"))},
		})
	})
}

func (p *Portal) tryExchange(w http.ResponseWriter, r *http.Request, v websession.Visit, c storage.Client,
	form url.Values) error {
	tokens, person, err := p.with.Flows.TryOut(r, c.ID, form)
	if f := fault.From(err); f != nil {
		if f.Kind == fault.Internal || f.Kind == fault.Unavailable {
			return err
		}
		return tried(w, r, v, c, templates.TryPage{Error: f.Reason, Detail: webpage.Detail(f)})
	}
	page := templates.TryPage{}
	for _, token := range []struct {
		member string
		label  texts.Text
	}{{"id_token", texts.Say("app.try-id-token")}, {"access_token", texts.Say("app.try-access-token")}} {
		if text, ok := tokens[token.member].(string); ok {
			page.Results = append(page.Results, templates.TryResult{ID: token.member, Label: token.label, JSON: decoded(text)})
			tokens[token.member] = "…"
		}
	}
	if person != nil {
		page.Results = append(page.Results, templates.TryResult{ID: "userinfo",
			Label: texts.Say("app.try-userinfo"), JSON: pretty(person)})
	}
	if _, refreshed := tokens["refresh_token"]; refreshed {
		tokens["refresh_token"] = "…"
	}
	page.Results = append(page.Results, templates.TryResult{ID: "answer",
		Label: texts.Say("app.try-answer"), JSON: pretty(tokens)})
	return tried(w, r, v, c, page)
}

// tried answers with what came of a try-out, and the way to another.
func tried(w http.ResponseWriter, r *http.Request, v websession.Visit, c storage.Client, page templates.TryPage) error {
	page.Desk.Section, page.Back, page.AppName, page.AgainURL = templates.SectionApps, backToApp(c), c.Name, tryPath(c)
	return v.Show(w, r, templates.Shown{Result: &page}, page.AgainURL)
}

func tryPath(c storage.Client) string { return appPath(c.ID) + "/try" }

// decoded shows header and claims of a JWT.
func decoded(token string) string {
	var parts []string
	header, rest, _ := strings.Cut(token, ".")
	claims, _, _ := strings.Cut(rest, ".")
	for _, part := range []string{header, claims} {
		text, err := sealing.Decode(part)
		var indented bytes.Buffer
		if err == nil && json.Indent(&indented, text, "", "  ") == nil {
			parts = append(parts, indented.String())
		}
	}
	return strings.Join(parts, "\n")
}

func pretty(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if e.Encode(v) != nil {
		return "" // can't be: it came out of JSON
	}
	return strings.TrimRight(b.String(), "\n")
}
