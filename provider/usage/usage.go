// Package usage counts what apps and the server are used for: sign-ins, people, tokens
// and errors, by the hour and by the day. It costs a request some additions in memory, and
// the database a short transaction a minute, however many requests there are.
//
// People are counted as storage.Crowd does: nobody is kept. What is in memory when a
// server is cut off is lost, a minute at most. Start at Counter for how it is counted, and
// at Records for what pages, the API and the command line show.
package usage

import (
	"net/http"
	"slices"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
)

// deed is what a request was.
type deed struct {
	signedIn bool // somebody, to the server
	arrived  bool // somebody, at an app
	issued   bool // an access token was
	refused  bool
	failed   bool // by our own fault
	present  bool // a person was
}

const (
	// clientGone is the status of a request whose client went away.
	clientGone = 499

	// signedIn is how a sign-in ends that went well.
	signedIn = "signed_in"
)

// arriving are the grants of people who have come to an app.
var arriving = []string{"authorization_code", "urn:ietf:params:oauth:grant-type:device_code"}

// judge says what a request was that was answered with the status.
func judge(e *httpio.Exchange, status int) deed {
	if status == clientGone || e.Usual {
		return deed{}
	}
	d := deed{failed: status >= http.StatusInternalServerError || fault.Is(e.Err, fault.Internal)}
	d.refused = !d.failed && (status >= http.StatusBadRequest || e.Err != nil)
	d.present = !d.failed && !d.refused && e.UserID != "" && !e.NoPerson
	d.signedIn = e.SignIn == signedIn
	d.issued = e.Issued != (httpio.Tokens{})
	d.arrived = d.issued && slices.Contains(arriving, e.Issued.GrantType)
	return d
}
