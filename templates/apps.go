package templates

import (
	"cmp"
	"encoding/base64"
	"github.com/DataDog/datadog-agent/pkg/template/html"
	"io"
	"time"

	"github.com/portico-id/portico/templates/texts"
)

// AppRow is an app in a list.
type AppRow struct {
	URL      string
	Name     string
	ID       string
	Type     texts.Text // in words, such as "Web app"
	Owner    texts.Text // who registered it; empty where that is plain
	Disabled bool
	Public   bool         // has no secret
	Marks    []texts.Text // flags in one word each
	LastUsed time.Time    // of its secrets, if it has any; zero: never
}

// AppsPage lists the apps that a person manages. Ids: new-app, apps.
type AppsPage struct {
	Desk
	Apps   []AppRow
	NewURL string // empty: others register apps here

	Invitations []InvitationRow // to manage apps of others
}

// Apps writes the list of a person's apps.
func (p *Pages) Apps(w io.Writer, page AppsPage) error { return p.render(w, "apps", page) }

// FormPage is a page that is one form.
type FormPage struct {
	Desk
	Back    Link
	Heading texts.Text
	Lead    texts.Text
	Form    Form
	Also    []Link // where else to go
}

// Form writes a page with one form.
func (p *Pages) Form(w io.Writer, page FormPage) error { return p.render(w, "form", page) }

// ConfirmPage asks once before something ends. Ids: confirm, confirm-submit,
// confirm-cancel.
type ConfirmPage struct {
	Desk
	Back      Link
	Heading   texts.Text
	Stops     []texts.Text // what will stop working, a sentence each
	Action    string
	Fields    []Field
	Submit    texts.Text
	CancelURL string
}

// Confirm writes the page that asks before something ends.
func (p *Pages) Confirm(w io.Writer, page ConfirmPage) error { return p.render(w, "confirm", page) }

// Revealed is something that is shown once. The element's id is revealed-ID.
type Revealed struct {
	ID       string
	Label    texts.Text
	Value    string
	Lines    bool   // has several lines
	FileName string // to download it as; empty: no download
	File     string // what is downloaded; empty: Value
}

// Download returns the address under which a browser saves the file, without
// asking the server, which does not have it any more.
func (r Revealed) Download() template.URL {
	return template.URL("data:application/x-pem-file;base64," +
		base64.StdEncoding.EncodeToString([]byte(cmp.Or(r.File, r.Value)))) // #nosec G203 -- base64 of ours
}

// RevealPage shows secrets this once.
type RevealPage struct {
	Desk
	Heading texts.Text
	Lead    texts.Text
	Items   []Revealed
	Next    Link
}

// Reveal writes the page with secrets that are shown once.
func (p *Pages) Reveal(w io.Writer, page RevealPage) error { return p.render(w, "reveal", page) }

// Shown is what a form shows once, on a page of its own: one of the two. A Result
// has no secret in it, and may be looked at again.
type Shown struct {
	Reveal *RevealPage
	Result *TryPage
}

// SecretRow is one live secret of an app.
type SecretRow struct {
	ID        string
	Label     string // may be empty
	Created   time.Time
	LastUsed  time.Time
	Ends      time.Time // zero: never
	Ended     bool
	DeleteURL string // empty: it can't be deleted
}

// FailureRow is one refused request of an app.
type FailureRow struct {
	At        time.Time
	What      texts.Text
	Got       string
	Expected  string // may have several lines
	Times     int
	RequestID string
}

// LogoutRow is what an app was or is to be told of one session's end.
type LogoutRow struct {
	Ended    time.Time
	State    texts.Text // delivered, waiting, failed
	Failed   bool
	Attempts int
	Last     time.Time
	Failure  string // of the last attempt
	Next     time.Time
}

// MemberRow is somebody who manages an app.
type MemberRow struct {
	Name, Email string
	Added       time.Time // zero: the owner
	RemoveURL   string    // empty: they stay
}

// InvitationRow is somebody who is asked to manage an app, as one of the sides sees
// it.
type InvitationRow struct {
	ID             string
	Invitee        string // address or user name, as it was typed
	WithdrawAction string

	App           string
	By            string // who asks; empty: somebody who is gone
	AcceptAction  string
	DeclineAction string

	Until time.Time
}

// Fact is a line of a description.
type Fact struct {
	Label texts.Text
	Text  texts.Text
	Lines []string // instead of Text
	Code  bool     // Text and Lines are for machines
}

// AppPage is all about one app, for those who manage it. Ids: client-id,
// edit-app, choose-logo, try-app, new-secret, failures, service-accounts, members,
// delete-app.
type AppPage struct {
	Desk
	Back         Link
	Name         string
	ID           string
	LogoURL      string // empty: none
	Logo         Button // takes it away
	LogoFormURL  string // where one is chosen
	Type         texts.Text
	Disabled     bool
	Marks        []texts.Text
	Facts        []Fact
	Scopes       []ScopeLine
	EditURL      string
	DeleteURL    string
	TryURL       string
	Guides       []Link
	HasSecrets   bool
	Secrets      []SecretRow
	NewSecretURL string
	Usage        Usage
	Failures     []FailureRow
	HasLogouts   bool // it is told of them
	Logouts      []LogoutRow
	Members      []MemberRow
	Invitations  []InvitationRow // of people who have not answered
	AddMember    Form
	HasMachines  bool
	Machines     Machines
}

// App writes the page of one app.
func (p *Pages) App(w io.Writer, page AppPage) error { return p.render(w, "app", page) }

// AppAccessPage is who may use an app. Ids: named.
type AppAccessPage struct {
	Desk
	Back       Link
	Name       string
	Restricted bool
	Who        Form
	Named      []AccessRow // counts while it is restricted
	AddGroup   Form
	AddUser    Form
}

// AccessRow is a group or a person for whom an app is.
type AccessRow struct {
	Name, Email string
	Group       bool
	RemoveURL   string
}

// AppAccess writes the page of who may use an app.
func (p *Pages) AppAccess(w io.Writer, page AppAccessPage) error {
	return p.render(w, "app-access", page)
}

// AppClaimsPage is what an app is told beside the usual claims. Ids: claims,
// claim-form.
type AppClaimsPage struct {
	Desk
	Back   Link
	Name   string
	Claims []ClaimRow
	Form   Form
}

// ClaimRow is a claim of an app's own.
type ClaimRow struct {
	Name      string
	What      texts.Text
	RemoveURL string
}

// AppClaims writes the page of what an app is told.
func (p *Pages) AppClaims(w io.Writer, page AppClaimsPage) error {
	return p.render(w, "app-claims", page)
}

// Machines is the part of an app's page about its service accounts.
type Machines struct {
	Accounts []MachineRow
	Room     bool // another account fits
	Create   Form
}

// MachineRow is a service account. Its element has the id account-ID.
type MachineRow struct {
	ID, Name, Email string
	Status          texts.Text // in lower case
	Enabled         bool
	Created         time.Time
	LastUsed        time.Time
	Expires         time.Time
	StatusAction    string
	NextStatus      string // what the form of StatusAction wants
	DeleteURL       string
	NewKeyURL       string // empty: no further key fits
	Keys            []MachineKeyRow
}

// MachineKeyRow is a key of a service account.
type MachineKeyRow struct {
	ID           string
	Label        string // may be empty
	Ends         time.Time
	Ended        bool
	Status       texts.Text
	Enabled      bool
	Created      time.Time
	LastUsed     time.Time
	StatusAction string
	NextStatus   string
	DeleteURL    string
}

// GuidePage is how to use an app from one library or with one service. Ids:
// guide, settings.
type GuidePage struct {
	Desk
	Back    Link
	Heading texts.Text
	Lead    texts.Text
	Guides  []Link
	Here    string       // URL of the guide that is shown
	Missing []texts.Text // what the app lacks for it, a sentence each
	Blocks  []GuideBlock
}

// GuideBlock is text to copy.
type GuideBlock struct {
	ID    string
	Where texts.Text // the file or place it belongs in
	Text  string
}

// Guide writes the page with settings to copy.
func (p *Pages) Guide(w io.Writer, page GuidePage) error { return p.render(w, "guide", page) }

// TryPage runs an app's flow and shows what came of it. Ids: try-form,
// try-submit, try-error, tokens, try-again.
type TryPage struct {
	Desk
	Back     Link
	AppName  string
	Form     Form   // empty Action: none
	AgainURL string // after a try: where the next begins
	Error    string // the error code that came instead
	Detail   texts.Text
	Results  []TryResult

	Key       *TryKey // what a script needs to do the same by the app's own key; nil: nothing
	HandsOver string  // the state of what such a script began, in another tab; empty: nothing
}

// TryKey is an app that proves itself by a key. Ids: own-key, own-file, own-begin, own-on,
// own-go, own-failed, own-back, and own- before those of Results.
type TryKey struct {
	ClientID, Issuer   string
	RedirectURI, State string
	Service, Signed    bool
	Results            []TryResult
}

// TryResult is a decoded token or answer.
type TryResult struct {
	ID    string
	Label texts.Text
	Facts []Fact
	JSON  string
}

// Try writes the page that tries an app out.
func (p *Pages) Try(w io.Writer, page TryPage) error { return p.render(w, "try", page) }
