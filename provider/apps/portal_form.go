package apps

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/ratelimit"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/provider/redirecturi"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

const maxNameLength = 100

// showCreate serves the form that registers an app.
func (p *Portal) showCreate(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	if _, err := p.apps.MayRegister(r.Context(), v.UserID); err != nil {
		return err
	}
	return p.createPage(w, r, http.StatusOK, createForm(url.Values{FieldConnects: {connectsOwn}, FieldType: {"web"}}))
}

func (p *Portal) createPage(w http.ResponseWriter, r *http.Request, status int, form templates.Form) error {
	return p.with.Web.Send(w, status, func(out io.Writer) error {
		return p.with.Pages.Form(out, templates.FormPage{
			Desk: desk(r), Back: templates.Link{URL: listPath, Text: texts.Say("parts.my-apps")},
			Heading: texts.Say("apps.register"),
			Lead:    texts.Say("apps.form.lead"), Form: form,
		})
	})
}

func createForm(values url.Values) templates.Form {
	return templates.Form{
		ID: "app-form", Action: newPath, Submit: texts.Say("apps.form.submit"),
		Inputs: []templates.Input{nameInput(values), connectsInput(values), typeInput(values), redirectInput(values),
			linesInput(values, FieldJWKS, texts.Say("apps.form.jwks"), texts.Say("apps.form.jwks-first-hint"))},
	}
}

func (p *Portal) create(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	wanted, next, err := registrationOf(values)
	wanted.OwnerUserID = v.UserID
	var created Created
	if err == nil {
		created, err = p.register(r.Context(), v, wanted)
	}
	if err != nil {
		form := createForm(values)
		if !webpage.Mark(&form, err) {
			return err
		}
		return p.createPage(w, r, webpage.Marked(w.Header(), err), form)
	}
	if created.PrivateKey != "" {
		return p.revealKey(w, r, v, created, next)
	}
	if created.Secret == "" {
		return webpage.See(w, r, appPath(created.Client.ID)+next+"?done=registered")
	}
	return p.revealSecret(w, r, v, created, texts.Say("app.secret-registered"), next)
}

// register registers an app for the person, who registers so many a minute;
// administrators, who could by the API, any number.
func (p *Portal) register(ctx context.Context, v websession.Visit, wanted Registration) (Created, error) {
	if !v.User.Admin {
		if _, err := p.with.Limits.Allow(ctx, ratelimit.Apps, v.UserID); err != nil {
			return Created{}, err
		}
	}
	return p.apps.Create(ctx, v.Act, wanted)
}

// showEdit serves the form that changes an app.
func (p *Portal) showEdit(w http.ResponseWriter, r *http.Request, v websession.Visit, client storage.Client) error {
	return p.editPage(w, r, client, http.StatusOK, editForm(client, editValues(client)))
}

func (p *Portal) editPage(w http.ResponseWriter, r *http.Request, client storage.Client, status int,
	form templates.Form) error {
	return p.with.Web.Send(w, status, func(out io.Writer) error {
		return p.with.Pages.Form(out, templates.FormPage{
			Desk: desk(r), Back: backToApp(client), Heading: texts.Say("parts.edit-named", "Name", client.Name),
			Lead: texts.Say("apps.form.type-for-life", "Type", typeWords[client.Type]), Form: form,
		})
	})
}

// editValues are what the client is now, as its form has it.
func editValues(c storage.Client) url.Values {
	values := url.Values{
		FieldName: {c.Name}, FieldProfile: {c.Profile},
		redirecturi.FieldRedirect:    {strings.Join(c.RedirectURIs, "\n")},
		redirecturi.FieldPostLogout:  {strings.Join(c.PostLogoutRedirectURIs, "\n")},
		redirecturi.FieldOrigin:      {strings.Join(c.Origins, "\n")},
		redirecturi.FieldBackchannel: {c.BackchannelLogoutURI},
		FieldPolicy:                  {c.PolicyURI}, FieldTerms: {c.TermsURI},
		FieldHome: {c.HomeURI}, FieldInitiate: {c.InitiateLoginURI},
		FieldIDTokenAlg: {c.IDTokenAlg}, FieldAccessTokenAlg: {c.AccessTokenAlg},
		FieldAuthMethod: {AuthMethod(c)}, FieldJWKS: {c.JWKS}, FieldJWKSURI: {c.KeysURI},
		FieldCertificateName: {certificateName(c)},
	}
	for _, name := range c.Scopes {
		values.Set(FieldScopes+"."+name, "on")
	}
	for _, name := range c.OptionalScopes {
		values.Set(FieldOptional+"."+name, "on")
	}
	for field, on := range map[string]bool{FieldPKCE: c.RequirePKCE, FieldLeanIDToken: c.LeanIDToken,
		FieldPlainJWT: c.PlainJWT, FieldDevices: c.Devices, FieldLegacyAudience: c.LegacyAudience,
		FieldRequirePushed: c.RequirePushed,
		FieldRequireSigned: c.RequireSigned, FieldProofNeeded: c.ProofNeeded, FieldCertificateNeeded: c.CertificateNeeded} {
		if on {
			values.Set(field, "on")
		}
	}
	return values
}

func editForm(c storage.Client, values url.Values) templates.Form {
	form := templates.Form{ID: "app-form", Action: appPath(c.ID) + "/edit", Submit: texts.Say("parts.save"), Edits: true,
		Seen: values.Get(templates.FieldSeen)}
	form.Inputs = append(form.Inputs, nameInput(values), profileInput(values))
	if c.Type != storage.ClientService {
		form.Inputs = append(form.Inputs, redirectInput(values),
			linesInput(values, redirecturi.FieldPostLogout, texts.Say("apps.form.post-logout"),
				texts.Say("apps.form.post-logout-hint")),
			linesInput(values, redirecturi.FieldOrigin, texts.Say("apps.form.origins"), texts.Say("apps.form.origins-hint")))
	}
	form.Inputs = append(form.Inputs, scopesInput(c, values))
	if c.Type != storage.ClientService {
		form.Inputs = append(form.Inputs, optionalInput(c, values))
	}
	if c.Type == storage.ClientWeb {
		form.Inputs = append(form.Inputs, flagInput(values, FieldPKCE, texts.Say("apps.form.pkce"), texts.Text{}))
	}
	if mayHaveDevices(c) {
		form.Inputs = append(form.Inputs,
			flagInput(values, FieldDevices, texts.Say("apps.form.devices"), texts.Say("apps.form.devices-hint")))
	}
	if c.Type != storage.ClientService {
		form.Inputs = append(form.Inputs,
			uriInput(values, redirecturi.FieldBackchannel, texts.Say("apps.form.backchannel"),
				texts.Say("apps.form.backchannel-hint")),
			flagInput(values, FieldLeanIDToken, texts.Say("apps.form.lean"), texts.Say("apps.form.lean-hint")))
	}
	form.Inputs = append(form.Inputs,
		flagInput(values, FieldPlainJWT, texts.Say("apps.form.plain-jwt"), texts.Say("apps.form.plain-jwt-hint")))
	form.Inputs = append(form.Inputs, securityInputs(c, values)...)
	return withLinks(c, form, values)
}

func (p *Portal) edit(w http.ResponseWriter, r *http.Request, v websession.Visit, client storage.Client) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	if err = webpage.Meet(values, editForm(client, editValues(client))); err == nil {
		_, err = p.apps.Update(r.Context(), v.Act, client.ID, changeOf(client, values))
	}
	if err != nil {
		form := editForm(client, values)
		if !webpage.Mark(&form, err) {
			return err
		}
		return p.editPage(w, r, client, http.StatusUnprocessableEntity, form)
	}
	return webpage.See(w, r, appPath(client.ID)+"?done=edited")
}

// changeOf reads the form. What the client's form has no field for stays.
func changeOf(c storage.Client, values url.Values) Change {
	trimmed := func(field string) *string { return new(strings.TrimSpace(values.Get(field))) }
	change := Change{
		Name: trimmed(FieldName), Profile: trimmed(FieldProfile),
		Scopes:    new(webpage.Chosen(values, FieldScopes, offeredScopes(c))),
		PolicyURI: trimmed(FieldPolicy), TermsURI: trimmed(FieldTerms), PlainJWT: new(values.Get(FieldPlainJWT) == "on"),
	}
	change.SecurityChange = securityOf(c, values)
	if c.Type == storage.ClientService {
		return change
	}
	change.HomeURI, change.InitiateLoginURI = trimmed(FieldHome), trimmed(FieldInitiate)
	chosen := *change.Scopes
	change.OptionalScopes = new(webpage.Chosen(values, FieldOptional,
		slices.DeleteFunc(mayBeOptional(c), func(name string) bool { return !slices.Contains(chosen, name) })))
	change.RedirectURIs = new(webpage.Lines(values.Get(redirecturi.FieldRedirect)))
	change.PostLogoutRedirectURIs = new(webpage.Lines(values.Get(redirecturi.FieldPostLogout)))
	change.Origins = new(webpage.Lines(values.Get(redirecturi.FieldOrigin)))
	change.BackchannelLogoutURI = trimmed(redirecturi.FieldBackchannel)
	change.LeanIDToken = new(values.Get(FieldLeanIDToken) == "on")
	if c.Type == storage.ClientWeb {
		change.RequirePKCE = new(values.Get(FieldPKCE) == "on")
	}
	if mayHaveDevices(c) {
		change.Devices = new(values.Get(FieldDevices) == "on")
	}
	return change
}

// offeredScopes are those that the client's form shows: what its type has a use
// for, and what it is registered for already, which only an administrator may
// have given.
func offeredScopes(c storage.Client) []string {
	offered := slices.DeleteFunc(scope.All(), func(name string) bool {
		return scope.NeedsAdministrator(name) || c.Type == storage.ClientService && scope.NeedsUser(name) ||
			c.Public() && scope.NeedsApplication(name)
	})
	return scope.Union(offered, c.Scopes)
}
