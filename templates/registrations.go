package templates

import (
	"io"
	"time"

	"github.com/portico-id/portico/templates/texts"
)

// RegistrationRow is an app that registered itself.
type RegistrationRow struct {
	URL      string // of the app
	Name     string
	Token    string // what its initial token was for; empty: it needed none
	Address  string // where it came from
	At       time.Time
	Used     bool // somebody has let it in
	Disabled bool
}

// InitialTokenRow is a token that lets apps register themselves.
type InitialTokenRow struct {
	ID     string
	Label  string
	Left   int
	Ends   time.Time
	EndURL string
}

// RegistrationsPage shows which apps registered themselves, and what lets them. Ids:
// registrations, tokens, end-ID, and those of the form.
type RegistrationsPage struct {
	Desk
	Back   Link
	Mode   []texts.Text // who may register themselves, and who need not
	Policy Link         // where that is said
	Rows   []RegistrationRow
	Tokens []InitialTokenRow
	Create Form
}

// Registrations writes the page.
func (p *Pages) Registrations(w io.Writer, page RegistrationsPage) error {
	return p.render(w, "registrations", page)
}

// AssistantsPage tells a person how an assistant reads for them. Ids: address, assistants.
type AssistantsPage struct {
	Desk
	Back    Link
	Address string       // empty: the server has nothing for assistants
	Arrive  []texts.Text // how an assistant is known here
}

// Assistants writes the page.
func (p *Pages) Assistants(w io.Writer, page AssistantsPage) error {
	return p.render(w, "assistants", page)
}
