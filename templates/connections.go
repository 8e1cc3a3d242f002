package templates

import (
	"io"
	"time"
)

// ConnectionRow is a company in a list.
type ConnectionRow struct {
	URL      string
	Name     string
	Disabled bool
	People   int
	Groups   int
}

// ConnectionsPage lists the companies that send their people. Ids: connections, and
// those of the form.
type ConnectionsPage struct {
	Desk
	Back        Link
	Connections []ConnectionRow
	Create      Form
}

// Connections writes the list of connections.
func (p *Pages) Connections(w io.Writer, page ConnectionsPage) error {
	return p.render(w, "connections", page)
}

// TokenRow is a token of a connection.
type TokenRow struct {
	ID       string
	Label    string
	Created  time.Time
	Ends     time.Time
	LastUsed time.Time // zero: never
	EndURL   string
}

// CallRow is a call of a company.
type CallRow struct {
	At        time.Time
	Method    string
	Path      string
	Status    int
	Detail    string // what it changed, or why it was refused
	RequestID string
	Failed    bool
}

// ConnectionPage is one company. Ids: tokens, end-ID, calls, delete-connection, and
// those of the forms and the button.
type ConnectionPage struct {
	Desk
	Back      Link
	Name      string
	Disabled  bool
	Facts     []Fact
	Tokens    []TokenRow
	Token     Form
	Calls     []CallRow
	Edit      Form
	Switch    Button
	DeleteURL string
}

// Connection writes the page of one connection.
func (p *Pages) Connection(w io.Writer, page ConnectionPage) error {
	return p.render(w, "connection", page)
}
