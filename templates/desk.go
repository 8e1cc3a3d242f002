package templates

import (
	"net/url"
	"slices"
	"time"

	"github.com/portico-id/portico/templates/texts"
)

// Frame is what every page has around it. The zero value is a complete frame.
type Frame struct {
	Title     string // of the window; empty: the page's own
	Lang      string // the languages that the reader wants, as Accept-Language has them
	Theme     string // ThemeLight or ThemeDark; anything else: as the system has it
	RequestID string // shown beside errors, to find them in the log; may be empty

	Zone *time.Location `json:"-"` // that times are shown in; nil: UTC
}

// The themes that can be asked for by name.
const (
	ThemeLight = "light"
	ThemeDark  = "dark"
)

// DataTheme returns the theme if it is one that the stylesheet knows, else "".
func (f Frame) DataTheme() string {
	if f.Theme == ThemeLight || f.Theme == ThemeDark {
		return f.Theme
	}
	return ""
}

// Desk is what every page of a signed-in person has around it: the bar with
// the ways to other pages, and what was just done.
type Desk struct {
	Frame
	Person  string // id of who is signed in, whom alone the page's forms are for
	Account string // who is signed in, as an e-mail address; empty: nobody
	Admin   bool   // a server administrator
	Section Section
	Done    texts.Text // what has just been done; empty: nothing to say
	Refill  Refill
}

// Refill is what somebody had typed into a form before they had to sign in.
type Refill struct {
	Action string // of the form; empty: nothing was
	Values url.Values
}

func (f Frame) around() Desk { return Desk{Frame: f} }
func (d Desk) around() Desk  { return d }

// Section is where in the bar a page belongs.
type Section string

// The sections.
const (
	SectionApps    Section = "apps"
	SectionUsers   Section = "users"
	SectionGroups  Section = "groups"
	SectionAllApps Section = "all-apps"
	SectionHubs    Section = "hubs"
	SectionAudit   Section = "audit"
	SectionMail    Section = "mail"
	SectionKeys    Section = "keys"
	SectionLimits  Section = "limits"
	SectionSystem  Section = "system"
	SectionFiles   Section = "files"
)

// Administration reports whether the page is one for administrators.
func (d Desk) Administration() bool {
	return d.Section != "" && d.Section != SectionApps && d.Section != SectionFiles
}

// Tab is a link of the bar.
type Tab struct {
	Section Section
	URL     string
	Text    texts.Text
}

// Tabs returns the ways between the pages for administrators.
func (Desk) Tabs() []Tab {
	return []Tab{
		{SectionUsers, "/admin/users", texts.Say("desk.tab.users")},
		{SectionGroups, "/admin/groups", texts.Say("desk.tab.groups")},
		{SectionAllApps, "/admin/apps", texts.Say("desk.tab.apps")},
		{SectionHubs, "/admin/hubs", texts.Say("desk.tab.hubs")}, {SectionAudit, "/admin/audit", texts.Say("desk.tab.audit")},
		{SectionMail, "/admin/mail", texts.Say("mails.title")}, {SectionKeys, "/admin/keys", texts.Say("desk.tab.keys")},
		{SectionLimits, "/admin/limits", texts.Say("desk.tab.limits")},
		{SectionSystem, "/admin/system", texts.Say("desk.tab.system")},
	}
}

// InputKind is what a field of a form looks like.
type InputKind string

// The kinds of fields.
const (
	InputText     InputKind = "text"
	InputEmail    InputKind = "email"
	InputPassword InputKind = "password"
	InputLines    InputKind = "lines"   // several lines
	InputChoice   InputKind = "choice"  // one of Options, all in sight
	InputList     InputKind = "list"    // one of Options, in a list that opens
	InputChoices  InputKind = "choices" // any of Options, each a field Name.Value that is "on"
	InputFlag     InputKind = "flag"    // on or absent; Label stands beside it
	InputDay      InputKind = "day"     // as in 2027-06-30
	InputFile     InputKind = "file"    // a file of the media types in Accept; its form is sent as multipart/form-data
)

// Input is a field of a form. Its id is field-Name.
type Input struct {
	Kind     InputKind
	Name     string
	Label    texts.Text
	Hint     texts.Text // what belongs into it; may be empty
	Value    string     // as typed before
	Required bool
	Fixed    bool   // is only to be read
	Max      int    // characters; 0: no limit
	Accept   string // media types of a file, with commas
	Several  bool   // files
	Complete string // what a browser may fill in, as autocomplete has it; empty: nothing
	Options  []Option
	More     bool         // stands with the folded ones
	Problems []texts.Text // what is wrong with what was typed
}

// Option is one of what an Input offers.
type Option struct {
	Value    string
	Label    texts.Text
	Language string // of the label, where that is in one of its own
	Hint     texts.Text
	Chosen   bool
}

// Problem is a line of the summary above a form that failed.
type Problem struct {
	Text  texts.Text
	Field string // the Name of the Input; empty: none in particular
}

// Form is a form with all that a person needs to fill it in. When it failed the
// summary, form-errors, takes the focus, and each field says what is wrong.
type Form struct {
	ID       string
	Action   string
	Inputs   []Input
	Submit   texts.Text
	Grave    bool // what it does can't be taken back
	Problems []Problem
	More     texts.Text // what the fields are about that are folded; empty: none are

	Edits bool   // it changes what is there: see Meet
	Seen  string // what was in it when it was first shown, of one that was sent
}

// Open reports whether what is folded has to be seen: something is wrong there.
func (f Form) Open() bool {
	return slices.ContainsFunc(f.Inputs, func(i Input) bool { return i.More && len(i.Problems) > 0 })
}

// Sort puts the problems into the order of the fields that they lead to; those
// that lead nowhere come last.
func (f Form) Sort() {
	place := func(p Problem) int {
		i := slices.IndexFunc(f.Inputs, func(input Input) bool { return input.Name == p.Field })
		return (i + len(f.Inputs) + 1) % (len(f.Inputs) + 1)
	}
	slices.SortStableFunc(f.Problems, func(a, b Problem) int { return place(a) - place(b) })
}

// HasFile reports whether a field of the form is a file.
func (f Form) HasFile() bool {
	return slices.ContainsFunc(f.Inputs, func(i Input) bool { return i.Kind == InputFile })
}

// First returns the id that the problem leads to: the field's, or for a choice
// the first option's.
func (f Form) First(p Problem) string {
	for _, input := range f.Inputs {
		if input.Name != p.Field {
			continue
		}
		if (input.Kind == InputChoice || input.Kind == InputChoices) && len(input.Options) > 0 {
			return "field-" + input.Name + "." + input.Options[0].Value
		}
		return "field-" + input.Name
	}
	return ""
}

// Link leads somewhere.
type Link struct {
	URL  string
	Text texts.Text
}

// Pager is the ways to the pages before and after a page of a list. Ids: previous, next.
type Pager struct {
	PreviousURL string // empty: the page is the first
	NextURL     string // empty: the last
}

// Search is a form that finds rows of a list. Ids: search, find.
type Search struct {
	Query string
	Sorts []Option // that the list can be narrowed to
}
