package templates

import (
	"io"
	"time"

	"github.com/portico-id/portico/templates/texts"
)

// The ids of elements named in comments below stay as they are: browser tests
// and password managers hold on to them.

// layouts returns the files of html/ that are pages, by the layout that each has
// around it: a card in the middle, or the desk of a signed-in person.
func layouts() map[string][]string {
	return map[string][]string{
		"layout": {"login", "code", "enrol", "device", "consent", "barred", "form-post", "sign-out",
			"signed-out", "home", "message", "card"},
		"desk": {
			"error", "sessions", "apps", "app", "form", "confirm", "reveal", "guide", "try", "connected", "openable",
			"security", "identities", "authenticator", "passkey", "upstreams", "upstream",
			"connections", "connection", "directories", "directory", "resources", "resource", "registrations", "assistants",
			"own-events", "own-data", "leave", "picture", "places", "folder", "file", "pick", "hidden", "upload", "listing",
			"version", "compare", "found", "activity", "transmittal",
			"users", "import", "user", "groups", "group", "audit", "event", "all-apps", "app-admin", "app-access", "app-claims",
			"hubs", "mails", "keys", "limits", "system",
		},
	}
}

// inArabic returns the pages that are there in Arabic too: what everybody sees who
// signs in or joins, their home, and what it leads to of their account. All other
// languages have every page.
func inArabic() []string {
	return []string{
		"login", "code", "enrol", "device", "consent", "barred", "error", "form-post", "sign-out",
		"signed-out", "home", "message", "card",
		"connected", "openable", "assistants", "own-events", "own-data", "leave", "security", "authenticator", "passkey",
		"sessions", "identities",
	}
}

// ownInArabic returns the pages that are there in Arabic, too, where they are about the
// own account: in no section of the desk.
func ownInArabic() []string { return []string{"form", "confirm", "reveal", "picture"} }

// LoginPage asks for user name and password, or for a passkey. Ids: login-form,
// username, password, login-submit, forgotten, sign-up, passkey-form,
// passkey-submit. It posts username and password to Action, or what the browser
// says of a passkey.
type LoginPage struct {
	Frame
	ClientName string // the app being signed in to; empty: none
	Action     string
	Username   string     // as typed before, or from login_hint
	Error      texts.Text // why the last try failed; empty: there was none
	Notice     texts.Text // something good to know, such as "You are signed out."

	ForgottenURL string // of the page for who does not know the password any more; empty: there is none
	SignUpURL    string // of the page on which anybody makes an account; likewise

	Passkey PasskeyForm

	Elsewhere []Link // where people sign in beside here
}

// Login writes the sign-in page.
func (p *Pages) Login(w io.Writer, page LoginPage) error { return p.render(w, "login", page) }

// CodePage asks for a second factor, after the password. Ids: code-form, code,
// code-submit, passkey-form, passkey-submit. It posts code to Action, or what the
// browser says of a passkey.
type CodePage struct {
	Frame
	ClientName string // the app being signed in to; empty: none
	Action     string
	App        bool // there is an authenticator app; if not, codes are for recovery
	Passkey    PasskeyForm
	BackURL    string     // to sign in as somebody else
	Error      texts.Text // why the last try failed; empty: there was none
}

// Code writes the page that asks for a code.
func (p *Pages) Code(w io.Writer, page CodePage) error { return p.render(w, "code", page) }

// Enrol writes the page on which somebody adds a second factor who must.
func (p *Pages) Enrol(w io.Writer, page EnrolPage) error { return p.render(w, "enrol", page) }

// ScopeLine is one thing that an app asks for.
type ScopeLine struct {
	Name string     // the scope as the protocol has it
	Text texts.Text // the same in plain words; see ScopeText

	Optional bool // can be left out: a field scope.Name of the form, on or absent
	Chosen   bool // and is not, unless somebody says so
}

// ConsentPage asks whether an app may act for a person. Ids: consent-form,
// consent-allow, consent-deny. It posts decision=allow or decision=deny to
// Action.
type ConsentPage struct {
	Frame
	ClientName string
	LogoURL    string     // of a picture that stands for the app; empty: none
	OwnerName  string     // who registered the app; empty: the operator of the server
	Vouched    bool       // the operator says that the app is what it says
	Unvouched  bool       // nobody of the operator's has looked at it
	OwnerGone  bool       // it was somebody who is gone
	Itself     bool       // nobody here registered it: it did so itself
	Document   string     // host of the document that says what the app is; empty: none does
	OnlyHere   bool       // answers to it go to programs on the person's own machine alone
	Device     *DeviceAsk // what a device asked for elsewhere; nil: the app asks in this browser
	ClientHost string     // host, or scheme of an app on the device, that the answer goes to
	Account    string     // whom the app would act as
	PolicyURL  string     // what the app says it does with what it learns; empty: nothing
	TermsURL   string     // what people agree to by using it
	SwitchURL  string     // to sign in as somebody else
	Scopes     []ScopeLine
	Already    []ScopeLine // allowed before; shown folded

	Administrates []ScopeLine // those that open the administration of the server
	Grave         []ScopeLine // those that let the app change or delete
	Until         time.Time   // when the app has to ask anew at the latest; zero: never
	Action        string
	Fields        []Field // come back with the decision as they are
}

// DeviceAsk is what a person should know of a device that asks for them.
type DeviceAsk struct {
	Code    string    // that it shows
	Address string    // network address that it asks from
	At      time.Time // when it did
}

// DevicePage asks for the code that a device shows. Ids: device-form, user_code,
// device-error. It posts user_code to Action.
type DevicePage struct {
	Frame
	Code   string // that is in the field already
	Error  texts.Text
	Action string
}

// Device writes the page.
func (p *Pages) Device(w io.Writer, page DevicePage) error { return p.render(w, "device", page) }

// Consent writes the consent page.
func (p *Pages) Consent(w io.Writer, page ConsentPage) error { return p.render(w, "consent", page) }

// BarredPage tells a person that an app is for others. Ids: barred-form, switch,
// barred-back. It posts decision=deny to Action.
type BarredPage struct {
	Frame
	ClientName string
	Account    string // who is signed in
	SwitchURL  string // to sign in as somebody else
	Action     string
	Fields     []Field // come back with the decision as they are
}

// Barred writes the page about an app that is for others.
func (p *Pages) Barred(w io.Writer, page BarredPage) error { return p.render(w, "barred", page) }

// Whose turn it is: who can do something about an error.
var (
	TurnYou           = texts.Say("errors.turn.you")
	TurnAppDeveloper  = texts.Say("errors.turn.app-developer")
	TurnAdministrator = texts.Say("errors.turn.administrator")
)

// ErrorPage says what went wrong, whose turn it is and what to do. Id:
// error-page, way-on. Its texts are ours: what a request sent unproven stays out.
type ErrorPage struct {
	Desk
	Heading  texts.Text
	What     texts.Text
	Turn     texts.Text // empty: nobody's
	NextStep texts.Text // what whoever reads this can do now; empty: nothing
	Code     string     // machine word such as invalid_request; may be empty
	Way      Link       // on from here
}

func (ErrorPage) failure() {}

// Error writes the error page.
func (p *Pages) Error(w io.Writer, page ErrorPage) error { return p.render(w, "error", page) }

// Field is a hidden field of a form.
type Field struct {
	Name, Value string
}

// FormPostPage carries an authorization response to a client as a form
// (OAuth 2.0 Form Post Response Mode). Ids: form-post, form-post-submit. A
// script submits it; without scripts a person presses the button.
type FormPostPage struct {
	Frame
	Action string // the client's redirect URI, kept to the byte
	Fields []Field
}

// SignOutPage asks whether to sign out. Ids: signout-form, signout-confirm.
type SignOutPage struct {
	Frame
	Account string // who is signed in
	Action  string
	Fields  []Field
}

// SignOut writes the page that confirms signing out.
func (p *Pages) SignOut(w io.Writer, page SignOutPage) error { return p.render(w, "sign-out", page) }

// SignedOutPage offers somebody who is signed out here to sign out of where they came
// from, too. Ids: leave, stay.
type SignedOutPage struct {
	Frame
	Upstream string // its name
	LeaveURL string
	StayURL  string
}

// SignedOut writes the page of somebody who is signed out here alone.
func (p *Pages) SignedOut(w io.Writer, page SignedOutPage) error {
	return p.render(w, "signed-out", page)
}

// HomePage tells a signed-in person who they are. Ids: signout-form, signout.
type HomePage struct {
	Frame
	Name          string // may be empty
	Email         string
	PictureURL    string // empty: none
	Admin         bool
	DiscoveryURL  string // absolute; empty: the path on this host
	SignOutAction string
	InviteURL     string       // of the page on which people invite others; empty: they don't
	Demo          *DemoContent // nil: there is none
}

// DemoContent names what a demo server has, and where the API shows it.
type DemoContent struct {
	Hub, Project string
	HubID        string
	Path         string // of the API, below the base URL
}

// Home writes the page of a signed-in person.
func (p *Pages) Home(w io.Writer, page HomePage) error { return p.render(w, "home", page) }

// MessagePage says one thing to somebody who is not signed in.
type MessagePage struct {
	Frame
	Heading texts.Text
	Text    texts.Text
}

// Message writes a page with one message.
func (p *Pages) Message(w io.Writer, page MessagePage) error { return p.render(w, "message", page) }
