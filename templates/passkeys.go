package templates

import "github.com/portico-id/portico/templates/texts"

// PasskeyAsk is what a script asks the browser for a passkey with. The zero value:
// there is nothing to ask. Bytes are base64url.
type PasskeyAsk struct {
	Challenge   string
	Party       string   // host that passkeys are for
	Credentials []string // that are asked for; of a new one, that the device may not have; none: any

	// Of a new one.
	UserID     string
	Account    string // what tells it from those of other accounts
	Name       string // whose it is
	Algorithms []int
}

// PasskeyForm asks for a passkey at a sign-in. It posts passkey to Action.
type PasskeyForm struct {
	Ask      PasskeyAsk // zero: passkeys are not asked for
	Action   string
	Autofill bool // the browser offers passkeys where the user name is typed, too
	First    bool // it is how the person signed in before
}

// Offer is an authenticator app that can be added.
type Offer struct {
	Token  string // stands for it
	Secret string // what the QR code says, to be typed
	QR     QR
}

// QR is a QR code, as a path in a square.
type QR struct {
	Size int    // of the square
	Path string // as SVG has it
}

// EnrolPage lets somebody add an authenticator app or a passkey who must, before
// they are signed in. Ids: those of PasskeyPage, enrol-form, code, enrol-submit, qr, secret, enrol-error. It posts
// offer and code to Action.
type EnrolPage struct {
	Frame
	ClientName string // the app being signed in to; empty: none
	ByApp      bool   // it is the app that asks for it, and not the server
	Action     string
	BackURL    string // to sign in as somebody else
	Offer      Offer
	Error      texts.Text // why the last try failed; empty: there was none
	Form       Form       // of a passkey
	Ask        PasskeyAsk // zero: passkeys are not offered
}
