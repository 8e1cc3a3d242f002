package websession

import (
	"net/http"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
)

// ReasonCrossOrigin is the reason of the fault that Protect refuses with.
const ReasonCrossOrigin = "cross_origin"

// Protect returns a middleware for routes whose forms only our own pages may
// send: sign-in, consent, account pages. A changing request that another site
// caused is refused with a Forbidden fault; GET, HEAD and OPTIONS pass, as do
// programs that are no browsers.
//
// It reads Sec-Fetch-Site, else it compares Origin with Host. Browsers send
// "Origin: null", which is refused, from pages with the referrer policy
// no-referrer: our pages carry same-origin instead. It has no place on
// endpoints that clients and other sites send to by right: authorize, logout,
// token, user info, revocation.
func Protect(writeError httpio.ErrorWriter) func(http.Handler) http.Handler {
	protection := http.NewCrossOriginProtection()
	protection.SetDenyHandler(httpio.Handle(writeError, refuse))
	return protection.Handler
}

func refuse(http.ResponseWriter, *http.Request) error {
	return fault.New(fault.Forbidden, ReasonCrossOrigin,
		"This form was sent from another site. Open the page on this server and send the form from there.")
}
