package templates

import (
	"io"
	"time"
)

// SecurityPage shows a person how their sign-in is guarded. Ids: factor,
// add-authenticator, new-codes, remove-authenticator.
type SecurityPage struct {
	Desk
	Back      Link
	Since     time.Time // of the authenticator app; zero: there is none
	Codes     int       // recovery codes that are left
	AddURL    string
	CodesURL  string
	RemoveURL string
}

// Security writes the page about how the sign-in is guarded.
func (p *Pages) Security(w io.Writer, page SecurityPage) error {
	return p.render(w, "security", page)
}

// QR is a QR code, as a path in a square.
type QR struct {
	Size int    // of the square
	Path string // as SVG has it
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
