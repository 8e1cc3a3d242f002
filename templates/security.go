package templates

import (
	"io"
	"time"
)

// SecurityPage shows a person how their sign-in is guarded. Ids: factor,
// add-authenticator, remove-authenticator, passkeys, add-passkey, passkey- and the
// id of each, new-codes.
type SecurityPage struct {
	Desk
	Back       Link
	Since      time.Time // of the authenticator app; zero: there is none
	Codes      int       // recovery codes that are left
	Passkeys   []PasskeyRow
	AddURL     string
	PasskeyURL string // of the page that adds a passkey; empty: browsers keep none for this server
	CodesURL   string // of the page that makes recovery codes; empty: there is no second factor
	RemoveURL  string
}

// PasskeyRow is a passkey of a person's.
type PasskeyRow struct {
	ID        string
	Label     string
	Created   time.Time
	LastUsed  time.Time // zero: never
	RemoveURL string
}

// PasskeyPage lets a person add a passkey. Ids: those of the form, and
// passkey-failed.
type PasskeyPage struct {
	Desk
	Back Link
	Form Form
	Ask  PasskeyAsk
}

// Passkey writes the page on which a passkey is added.
func (p *Pages) Passkey(w io.Writer, page PasskeyPage) error { return p.render(w, "passkey", page) }

// Security writes the page about how the sign-in is guarded.
func (p *Pages) Security(w io.Writer, page SecurityPage) error {
	return p.render(w, "security", page)
}

// AuthenticatorPage lets a person add an authenticator app. Ids: qr, secret, and
// the form's.
type AuthenticatorPage struct {
	Desk
	Back   Link
	QR     QR
	Secret string // what the QR code says, to be typed
	Form   Form
}

// Authenticator writes the page on which an authenticator app is added.
func (p *Pages) Authenticator(w io.Writer, page AuthenticatorPage) error {
	return p.render(w, "authenticator", page)
}
