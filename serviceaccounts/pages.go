package serviceaccounts

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// Owners says which client a signed-in person manages: package provider/apps.
type Owners interface {
	// Managed returns the client, or NotFound for everybody who does not
	// manage it.
	Managed(ctx context.Context, userID, clientID string) (storage.Client, error)
}

// PagesOptions are what Pages are made of. Every field is needed.
type PagesOptions struct {
	Accounts *Accounts
	Owners   Owners
	Sessions *websession.Manager
	Pages    *templates.Pages
	Web      *webpage.Writer
}

// Pages are the buttons and forms of service accounts on the page of their app,
// for those who manage it. They do what the operations do, in the client's
// name.
type Pages struct {
	with PagesOptions
	gate *websession.Gate
}

// NewPages returns the pages.
func NewPages(o PagesOptions) *Pages {
	return &Pages{with: o, gate: o.Sessions.Gate(o.Web.Error)}
}

// Routes are the buttons and forms.
func (p *Pages) Routes() []httpio.Route {
	const app = "/apps/{clientId}"
	const account = app + "/service-accounts/{serviceAccountId}"
	const key = account + "/keys/{keyId}"
	form := func(do wish) httpio.Endpoint { return p.gate.Form(p.page(do)) }
	grave := func(template string, ask, do wish) httpio.Route {
		return p.gate.Grave(httpio.At(template), p.page(ask), p.page(do))
	}
	return []httpio.Route{
		httpio.At(app + "/service-accounts").Post(form(p.create)).On(app),
		grave(account+"/status", p.askDisable, p.setStatus),
		grave(account+"/delete", p.askDelete, p.delete),
		httpio.At(account + "/keys").Get(p.gate.Show(p.page(p.showCreateKey))).Post(form(p.createKey)),
		grave(key+"/status", p.askDisableKey, p.setKeyStatus),
		grave(key+"/delete", p.askDeleteKey, p.deleteKey),
	}
}

// clientVariable names the app in the templates of the paths.
const clientVariable = "clientId"

const (
	fieldName   = "name"
	fieldStatus = "status"
)

// PageSection returns what the page of a client at path shows of its accounts.
func (a *Accounts) PageSection(ctx context.Context, client storage.Client, path string) (templates.Machines, error) {
	accounts, err := a.List(ctx, Asker{Client: client}, client.ID)
	if err != nil {
		return templates.Machines{}, err
	}
	section := templates.Machines{Room: len(accounts) < storage.MaxServiceAccounts, Create: createForm(path, "")}
	ids := make([]string, len(accounts))
	for i, account := range accounts {
		ids[i] = account.ID
	}
	all, err := a.store.ListServiceAccountKeys(ctx, ids...)
	keys := map[string][]storage.ServiceAccountKey{}
	for _, key := range all {
		keys[key.AccountID] = append(keys[key.AccountID], key)
	}
	for _, account := range accounts {
		section.Accounts = append(section.Accounts,
			a.row(account, keys[account.ID], path+"/service-accounts/"+account.ID))
	}
	return section, err
}

func createForm(path, typed string) templates.Form {
	return templates.Form{
		ID: "create-account", Action: path + "/service-accounts", Submit: texts.Say("machines.create"),
		Inputs: []templates.Input{{
			Kind: templates.InputText, Name: fieldName, Label: texts.Say("parts.name"), Value: typed,
			Required: true, Max: maxOwnName,
			Hint: texts.Say("machines.name-hint"),
		}},
	}
}

func (a *Accounts) row(account storage.ServiceAccount, keys []storage.ServiceAccountKey,
	path string) templates.MachineRow {
	enabled := account.Status == storage.ServiceAccountEnabled
	row := templates.MachineRow{
		ID: account.ID, Name: account.Name, Email: account.Email,
		Status: statusWords[string(account.Status)], Enabled: enabled,
		Created: account.CreatedAt, LastUsed: account.AccessedAt, Expires: account.ExpiresAt,
		StatusAction: path + "/status", NextStatus: string(storage.ServiceAccountEnabled), DeleteURL: path + "/delete",
	}
	if enabled {
		row.NextStatus = string(storage.ServiceAccountDisabled)
	}
	if enabled && len(keys) < storage.MaxServiceAccountKeys {
		row.NewKeyURL = path + "/keys"
	}
	for _, key := range keys {
		row.Keys = append(row.Keys, keyRow(a.ledger.overlayKey(key), path+"/keys/"+key.KID, enabled, a.ambient.Now()))
	}
	return row
}

// statusWords are what the statuses of accounts and keys are called.
var statusWords = map[string]texts.Text{
	string(storage.ServiceAccountEnabled):     texts.Say("machines.status.enabled"),
	string(storage.ServiceAccountDisabled):    texts.Say("machines.status.disabled"),
	string(storage.ServiceAccountDeactivated): texts.Say("machines.status.deactivated"),
}

// keyRow offers no change of a key while its account is not enabled (S1
// section 3).
func keyRow(key storage.ServiceAccountKey, path string, changeable bool, now time.Time) templates.MachineKeyRow {
	row := templates.MachineKeyRow{
		ID: key.KID, Label: key.Label, Ends: key.EndsAt, Ended: !key.LiveAt(now), Status: statusWords[string(key.Status)],
		Enabled: key.Status == storage.KeyEnabled,
		Created: key.CreatedAt, LastUsed: key.AccessedAt, NextStatus: string(storage.KeyEnabled),
	}
	if row.Enabled {
		row.NextStatus = string(storage.KeyDisabled)
	}
	if changeable {
		row.DeleteURL = path + "/delete"
	}
	if changeable && !row.Ended {
		row.StatusAction = path + "/status"
	}
	return row
}

// desired is one request about the accounts of a client.
type desired struct {
	websession.Visit
	client storage.Client
	by     Asker
	ref    Ref
	kid    string
	path   string // of the app's page
}

// wish carries out what is desired.
type wish func(w http.ResponseWriter, r *http.Request, d desired) error

func (p *Pages) page(do wish) websession.Page {
	return func(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
		client, err := p.with.Owners.Managed(r.Context(), v.UserID, pathID(r, clientVariable))
		if err != nil {
			return err
		}
		return do(w, r, desired{
			Visit: v, client: client, by: Asker{Client: client}, kid: pathID(r, keyVariable),
			ref: Ref{AccountID: pathID(r, accountVariable), ClientID: client.ID}, path: "/apps/" + client.ID,
		})
	}
}

func (d desired) desk(r *http.Request) templates.Desk {
	return webpage.Desk(r, templates.SectionApps, nil)
}

func (d desired) back() templates.Link {
	return templates.Link{URL: d.path, Text: texts.Own(d.client.Name)}
}

// done leads back to where the account is on the app's page, which has words for
// the key.
func (d desired) done(w http.ResponseWriter, r *http.Request, key string) error {
	return webpage.See(w, r, d.path+"?done="+key+"#service-accounts")
}

// create serves the form that adds an account.
func (p *Pages) create(w http.ResponseWriter, r *http.Request, d desired) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	if _, err = p.with.Accounts.Create(r.Context(), d.Act, d.by, Request{Name: values.Get(fieldName)}); err == nil {
		return d.done(w, r, "account-created")
	}
	form := createForm(d.path, values.Get(fieldName))
	if f := fault.From(err); f.Kind == fault.Invalid || f.Kind == fault.Conflict {
		err = f.At(fieldName)
	}
	if !webpage.Mark(&form, err) {
		return err
	}
	page := templates.FormPage{Desk: d.desk(r), Back: d.back(), Heading: texts.Say("machines.create"), Form: form}
	return p.with.Web.Send(w, http.StatusUnprocessableEntity,
		func(out io.Writer) error { return p.with.Pages.Form(out, page) })
}

// askDisable serves the question before an account is disabled.
func (p *Pages) askDisable(w http.ResponseWriter, r *http.Request, d desired) error {
	account, err := p.with.Accounts.Find(r.Context(), d.by, d.ref)
	if err != nil {
		return err
	}
	return p.confirm(w, r, d, templates.ConfirmPage{
		Heading: texts.Say("machines.disable-which", "Name", account.Name), Submit: texts.Say("parts.disable"),
		Stops:  []texts.Text{texts.Say("machines.delete-stops.keys"), texts.Say("machines.disable-again")},
		Action: d.path + "/service-accounts/" + account.ID + "/status",
		Fields: []templates.Field{{Name: fieldStatus, Value: string(storage.ServiceAccountDisabled)}},
	})
}

// setStatus enables or disables an account.
func (p *Pages) setStatus(w http.ResponseWriter, r *http.Request, d desired) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	want := storage.ServiceAccountStatus(values.Get(fieldStatus))
	if _, err := p.with.Accounts.SetStatus(r.Context(), d.Act, d.by, d.ref, want); err != nil {
		return err
	}
	return d.done(w, r, "account-"+strings.ToLower(string(want)))
}

// askDelete serves the question before an account is deleted, and its answer.
func (p *Pages) askDelete(w http.ResponseWriter, r *http.Request, d desired) error {
	account, err := p.with.Accounts.Find(r.Context(), d.by, d.ref)
	if err != nil {
		return err
	}
	return p.confirm(w, r, d, templates.ConfirmPage{
		Heading: texts.Say("machines.delete-which", "Name", account.Name),
		Stops: []texts.Text{texts.Say("machines.delete-stops.keys"), texts.Say("machines.delete-stops.rights"),
			texts.Say("parts.undone")},
		Action: d.path + "/service-accounts/" + account.ID + "/delete", Submit: texts.Say("machines.delete"),
	})
}

func (p *Pages) delete(w http.ResponseWriter, r *http.Request, d desired) error {
	if err := p.with.Accounts.Delete(r.Context(), d.Act, d.by, d.ref); err != nil {
		return err
	}
	return d.done(w, r, "account-deleted")
}

func (p *Pages) confirm(w http.ResponseWriter, r *http.Request, d desired, page templates.ConfirmPage) error {
	page.Desk, page.Back, page.CancelURL = d.desk(r), d.back(), d.path+"#service-accounts"
	return p.with.Web.Send(w, http.StatusOK, func(out io.Writer) error { return p.with.Pages.Confirm(out, page) })
}

// showCreateKey serves the form that makes a key.
func (p *Pages) showCreateKey(w http.ResponseWriter, r *http.Request, d desired) error {
	account, err := p.with.Accounts.Find(r.Context(), d.by, d.ref)
	if err != nil {
		return err
	}
	return p.keyPage(w, r, d, http.StatusOK, keyForm(d.path, account.ID, url.Values{}))
}

func keyForm(path, accountID string, values url.Values) templates.Form {
	return templates.Form{ID: "key-form", Action: path + "/service-accounts/" + accountID + "/keys",
		Submit: texts.Say("machines.key-make"), Inputs: webpage.TermInputs(values)}
}

func (p *Pages) keyPage(w http.ResponseWriter, r *http.Request, d desired, status int, form templates.Form) error {
	page := templates.FormPage{Desk: d.desk(r), Back: d.back(), Heading: texts.Say("machines.key-new"), Form: form,
		Lead: texts.Say("machines.key-at-most")}
	return p.with.Web.Send(w, status, func(out io.Writer) error { return p.with.Pages.Form(out, page) })
}

// createKey serves the form that makes a key, and shows it this once.
func (p *Pages) createKey(w http.ResponseWriter, r *http.Request, d desired) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	wanted, err := webpage.ReadTerm(r, ReasonInvalidRequest, values)
	var key Key
	if err == nil {
		key, err = p.with.Accounts.CreateKey(r.Context(), d.Act, d.by, d.ref, wanted)
	}
	if err != nil {
		form := keyForm(d.path, d.ref.AccountID, values)
		if fault.Is(err, fault.NotFound) || !webpage.Mark(&form, err) {
			return err
		}
		return p.keyPage(w, r, d, http.StatusUnprocessableEntity, form)
	}
	page := templates.RevealPage{
		Desk: templates.Desk{Section: templates.SectionApps}, Heading: texts.Say("machines.key-new"),
		Lead: texts.Say("machines.key-copy"),
		Items: []templates.Revealed{
			{ID: "account-id", Label: texts.Say("machines.key-account"), Value: d.ref.AccountID},
			{ID: "key-id", Label: texts.Say("machines.key-id"), Value: key.KID},
			{ID: "private-key", Label: texts.Say("machines.key-private"), Value: key.Private.Reveal(), Lines: true,
				FileName: "key.json", File: p.with.Accounts.File(d.ref, key).Text()},
		},
		Next: templates.Link{URL: d.path + "#service-accounts", Text: texts.Say("parts.kept")},
	}
	return d.Show(w, r, templates.Shown{Reveal: &page}, page.Next.URL)
}

// askDisableKey serves the question before a key is disabled.
func (p *Pages) askDisableKey(w http.ResponseWriter, r *http.Request, d desired) error {
	key, err := p.with.Accounts.key(r.Context(), d.Act, d.by, d.ref, d.kid)
	if err != nil {
		return err
	}
	return p.confirm(w, r, d, templates.ConfirmPage{
		Heading: texts.Say("machines.key-disable-which", "Key", cmp.Or(key.Label, key.KID)),
		Submit:  texts.Say("parts.disable"),
		Action:  keyPath(d, key) + "/status",
		Stops:   []texts.Text{texts.Say("machines.key-delete-stops"), texts.Say("machines.disable-again")},
		Fields:  []templates.Field{{Name: fieldStatus, Value: string(storage.KeyDisabled)}},
	})
}

func keyPath(d desired, key storage.ServiceAccountKey) string {
	return d.path + "/service-accounts/" + key.AccountID + "/keys/" + key.KID
}

// setKeyStatus enables or disables a key.
func (p *Pages) setKeyStatus(w http.ResponseWriter, r *http.Request, d desired) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	want := storage.KeyStatus(values.Get(fieldStatus))
	if err := p.with.Accounts.SetKeyStatus(r.Context(), d.Act, d.by, d.ref, d.kid, want); err != nil {
		return err
	}
	return d.done(w, r, "key-"+strings.ToLower(string(want)))
}

// askDeleteKey serves the question before a key is deleted, and its answer.
func (p *Pages) askDeleteKey(w http.ResponseWriter, r *http.Request, d desired) error {
	key, err := p.with.Accounts.key(r.Context(), d.Act, d.by, d.ref, d.kid)
	if err != nil {
		return err
	}
	return p.confirm(w, r, d, templates.ConfirmPage{
		Heading: texts.Say("machines.key-delete-which", "Key", cmp.Or(key.Label, key.KID)),
		Stops:   []texts.Text{texts.Say("machines.key-delete-stops"), texts.Say("parts.undone")},
		Action:  keyPath(d, key) + "/delete", Submit: texts.Say("machines.key-delete"),
	})
}

func (p *Pages) deleteKey(w http.ResponseWriter, r *http.Request, d desired) error {
	if err := p.with.Accounts.DeleteKey(r.Context(), d.Act, d.by, d.ref, d.kid); err != nil {
		return err
	}
	return d.done(w, r, "key-deleted")
}
