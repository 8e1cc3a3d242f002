package httpio

import "net/url"

// Person is who is signed in, as pages need to know them.
type Person struct {
	ID      string // empty: nobody
	Account string // what they sign in with, as the bar of a page shows it
	Admin   bool
	Zone    string  // name of their time zone; empty: not known
	Parked  *Parked // a form of theirs that waits; nil: none
}

// Parked is a form that somebody had filled in when their sign-in was over.
type Parked struct {
	Action string // the path that it is sent to
	Query  string // of its address, which its page is shown with
	Values url.Values
}
