package templates

import (
	"io"
	"time"

	"github.com/portico-id/portico/templates/texts"
)

// Button is a form of one button, or a link to the question before something is
// done. Its id is the button's.
type Button struct {
	ID     string
	Action string
	URL    string // of the question; empty: the button does it
	Text   texts.Text
	Grave  bool
}

// UserRow is a person in a list.
type UserRow struct {
	URL        string
	Name       string // may be empty
	Email      string
	Username   string
	Admin      bool
	Disabled   bool
	LastSignIn time.Time // zero: never
}

// UsersPage finds people. Ids: new-user, import-users, users.
type UsersPage struct {
	Desk
	Search
	Users     []UserRow
	Total     int // that fit
	NewURL    string
	ImportURL string
	Pager
}

// Users writes the page that finds people.
func (p *Pages) Users(w io.Writer, page UsersPage) error { return p.render(w, "users", page) }

// SessionRow is a sign-in of a person.
type SessionRow struct {
	ID       string // what ends it; empty: nothing
	Here     bool   // it is the one that looks
	Device   texts.Text
	Address  string
	Since    time.Time
	LastSeen time.Time
}

// SessionsPage shows people where they are signed in. Ids: sessions, end-others.
type SessionsPage struct {
	Desk
	Back      Link
	Sessions  []SessionRow
	EndAction string
	OthersURL string // asks whether to end all others; empty: there are none
}

// Sessions writes the page with a person's own sign-ins.
func (p *Pages) Sessions(w io.Writer, page SessionsPage) error { return p.render(w, "sessions", page) }

// UserPage is all about one person, for administrators. Ids: edit-user,
// delete-user, sessions, groups, and those of the buttons.
type UserPage struct {
	Desk
	Back      Link
	Name      string
	Marks     []texts.Text
	Disabled  bool
	Facts     []Fact
	EditURL   string
	DeleteURL string
	Buttons   []Button
	Sessions  []SessionRow
	EndAction string // of the buttons that end one of them
	Groups    []Link
	AuditURL  string
}

// User writes the page of one person.
func (p *Pages) User(w io.Writer, page UserPage) error { return p.render(w, "user", page) }

// ConnectedRow is an app that may act for a person.
type ConnectedRow struct {
	Name        string
	Owner       string // who registered it; empty: the operator of the server
	OwnerGone   bool   // it was somebody who is gone
	Itself      bool   // nobody here registered it: it did so itself
	Disabled    bool
	Scopes      []ScopeLine
	Since       time.Time
	LastSeen    time.Time // when it last got tokens; zero: it has none now
	EndsAt      time.Time // zero: not by itself
	WithdrawURL string
	ID          string
	Devices     []DeviceRow // that the person let in elsewhere
}

// DeviceRow is a device on which an app acts for a person.
type DeviceRow struct {
	ID       string
	Address  string // from where it asked
	Since    time.Time
	LastSeen time.Time
}

// ConnectedPage shows a person which apps may act for them. Id: connected.
type ConnectedPage struct {
	Desk
	Back Link
	Apps []ConnectedRow

	EndAction string // of the buttons that end a device
}

// Connected writes the page with the apps that may act for a person.
func (p *Pages) Connected(w io.Writer, page ConnectedPage) error {
	return p.render(w, "connected", page)
}

// IdentityRow is an upstream by which a person signs in, or could.
type IdentityRow struct {
	Name          string
	Account       string    // as the upstream calls them; may be empty
	Since         time.Time // zero: it is not connected
	LastAt        time.Time // of the last sign-in by it; zero: none
	ConnectURL    string    // empty: it is connected
	DisconnectURL string
}

// IdentitiesPage shows a person by what else they sign in. Id: identities.
type IdentitiesPage struct {
	Desk
	Back Link
	Rows []IdentityRow
}

// Identities writes the page with what else a person signs in by.
func (p *Pages) Identities(w io.Writer, page IdentitiesPage) error {
	return p.render(w, "identities", page)
}

// Openable is an app that a person can open.
type Openable struct{ Name, URL string }

// OpenablePage lists the apps that a person can open. Id: openable.
type OpenablePage struct {
	Desk
	Search
	Back Link
	Apps []Openable
	Pager
}

// Openable writes the page with the apps that a person can open.
func (p *Pages) Openable(w io.Writer, page OpenablePage) error { return p.render(w, "openable", page) }

// GroupRow is a group in a list.
type GroupRow struct {
	URL         string
	Name        string
	Description string
	Members     int
}

// GroupsPage finds the server's groups. Ids: groups, and the form's.
type GroupsPage struct {
	Desk
	Search
	Groups []GroupRow
	Total  int // that fit
	Create Form
	Pager
}

// Groups writes the list of groups.
func (p *Pages) Groups(w io.Writer, page GroupsPage) error { return p.render(w, "groups", page) }

// GroupPage is all about one group. Ids: managed, members, delete-group, and the forms'.
type GroupPage struct {
	Desk
	Back      Link
	Name      string
	Managed   texts.Text // whose it is, where nobody changes it here; empty: the server's
	Edit      Form
	Members   []MemberRow
	Total     int // people in it
	Add       Form
	DeleteURL string
	Pager
}

// Group writes the page of one group.
func (p *Pages) Group(w io.Writer, page GroupPage) error { return p.render(w, "group", page) }

// AuditRow is one event of the audit trail.
type AuditRow struct {
	URL       string // of its own page
	At        time.Time
	Kind      string
	ActorKind string // user, client, operator or system
	Actor     AuditName
	Subject   AuditName
	Detail    string
	Address   string
	RequestID string
}

// AuditName is whom or what the trail tells of.
type AuditName struct {
	ID   string // may be empty
	Name string // empty: not known, or gone
	URL  string // of its page; empty: none
}

// AuditPage shows the audit trail. Ids: filter, apply, events,
// export-csv, export-ndjson.
type AuditPage struct {
	Desk
	Filter  []Input
	Problem texts.Text // what is wrong with the filter
	Events  []AuditRow
	Pager
	CSVURL    string
	NDJSONURL string
}

// Audit writes the page with the audit trail.
func (p *Pages) Audit(w io.Writer, page AuditPage) error { return p.render(w, "audit", page) }

// EventPage shows one event of the audit trail. Ids: event, same-subject,
// same-actor.
type EventPage struct {
	Desk
	Back       Link
	Kind       string
	At         time.Time
	Facts      []Fact
	SubjectURL string // everything about the same thing
	ActorURL   string // everything that the same one did; empty: nobody is known
}

// Event writes the page of one event.
func (p *Pages) Event(w io.Writer, page EventPage) error { return p.render(w, "event", page) }

// AllAppsPage finds apps, for administrators. Id: apps.
type AllAppsPage struct {
	Desk
	Search
	Apps  []AppRow
	Total int // that fit
	Pager
}

// AllApps writes the page that finds apps.
func (p *Pages) AllApps(w io.Writer, page AllAppsPage) error { return p.render(w, "all-apps", page) }

// HubRow is a hub in a list.
type HubRow struct {
	Name, ID, Region string
	Inactive         bool
	Created          time.Time
}

// HubsPage finds hubs, for administrators. Id: hubs.
type HubsPage struct {
	Desk
	Search
	Hubs  []HubRow
	Total int // that fit; more than Hubs: not all are shown
}

// HubList writes the page that finds hubs.
func (p *Pages) HubList(w io.Writer, page HubsPage) error { return p.render(w, "hubs", page) }

// HubAccessRow is a hub in which an app is provisioned.
type HubAccessRow struct {
	Name, ID    string
	Inactive    bool
	Level       string
	Users       texts.Text // whom it may act for, in words
	WithdrawURL string
}

// AppAdminPage is what administrators decide about an app. Ids: client-id, hubs,
// those of the forms and of the buttons, delete-app.
type AppAdminPage struct {
	Desk
	Back      Link
	Name      string
	ID        string
	LogoURL   string // empty: none
	Type      texts.Text
	Disabled  bool
	Marks     []texts.Text
	Facts     []Fact
	Guides    []Link
	Form      Form
	Usage     Usage
	Hubs      []HubAccessRow
	HubForm   Form
	Members   []MemberRow
	AddMember Form
	Buttons   []Button
	DeleteURL string
	AuditURL  string
}

// AppAdmin writes the page on which administrators decide about an app.
func (p *Pages) AppAdmin(w io.Writer, page AppAdminPage) error {
	return p.render(w, "app-admin", page)
}

// KeyRow is a key that signs tokens.
type KeyRow struct {
	ID         string
	Algorithm  string
	State      texts.Text
	Generation int
	Created    time.Time
	From       time.Time // when it begins to sign
	Until      time.Time // when the next one begins; zero: not known yet
	RotateURL  string    // asks whether it signs now; the newest of each algorithm has one
}

// KeysPage shows the signing keys and their calendar, by algorithm and newest
// first. Ids: keys, rotate-ALGORITHM.
type KeysPage struct {
	Desk
	Keys []KeyRow
}

// Keys writes the page with the signing keys.
func (p *Pages) Keys(w io.Writer, page KeysPage) error { return p.render(w, "keys", page) }

// UsageRow is how much of a limit is used up.
type UsageRow struct {
	What  string
	Whose string
	Used  int
	Limit int
}

// LimitsPage shows the rate limits in use. Ids: rates, usage.
type LimitsPage struct {
	Desk
	On    bool
	Rates []Fact
	Usage []UsageRow
}

// Limits writes the page with the rate limits.
func (p *Pages) Limits(w io.Writer, page LimitsPage) error { return p.render(w, "limits", page) }

// FactGroup is facts under one heading.
type FactGroup struct {
	Heading texts.Text
	Facts   []Fact
}

// SystemPage shows how the server is. Id: system.
type SystemPage struct {
	Desk
	Groups []FactGroup
	Usage  Usage
}

// System writes the page that shows how the server is.
func (p *Pages) System(w io.Writer, page SystemPage) error { return p.render(w, "system", page) }

// CardPage is a form for somebody who is not signed in: setting the server up,
// choosing a new password.
type CardPage struct {
	Frame
	Heading texts.Text
	Lead    texts.Text
	Notice  texts.Text // something good to know; empty: nothing
	Form    Form       // without an ID: none
	Links   []Link     // where else to go
}

// Card writes a form on a card.
func (p *Pages) Card(w io.Writer, page CardPage) error { return p.render(w, "card", page) }

// ImportFault is what is wrong with a line of a file of people.
type ImportFault struct {
	Line  int
	Field texts.Text // empty: the whole line
	Text  texts.Text
}

// ImportPage says what a file of people would do. Ids: faults, people, and the
// form's.
type ImportPage struct {
	Desk
	Back              Link
	New, Known, Wrong int
	Faults            []ImportFault // the first
	People            []UserRow     // the first
	Form              Form          // without an ID: nothing can be imported
}

// Import writes the page that says what a file of people would do.
func (p *Pages) Import(w io.Writer, page ImportPage) error { return p.render(w, "import", page) }
