package templates

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
