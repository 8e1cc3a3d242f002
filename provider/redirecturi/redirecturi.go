// Package redirecturi holds the rules of the addresses a client registers:
// which may be registered at all, and when one that a request names is the one
// that was registered.
//
// It is pure: it never opens a connection, and never rewrites an address to
// make it fit. Start with CheckRegistration and Match; the other checks are
// the same rules for the client's other addresses.
//
// Sources: RFC 6749 section 3.1.2, RFC 8252 sections 7 and 8.3, RFC 9700
// sections 2.1 and 4.1.
package redirecturi

import (
	"net/url"
	"slices"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// MaxLength is how many characters an address may have.
const MaxLength = 2000

// Reasons of the faults.
const (
	ReasonMalformed = "malformed_uri"  // not an absolute URI
	ReasonPattern   = "pattern_uri"    // looks like a wildcard
	ReasonFragment  = "fragment"       // has a #fragment
	ReasonUserInfo  = "userinfo"       // has user:password@
	ReasonScheme    = "scheme"         // a scheme this client may not use
	ReasonParameter = "reserved_query" // a query parameter that the answer sets
	ReasonOrigin    = "not_an_origin"  // more than scheme, host and port
)

// The sources of the faults: the form fields that hold the addresses.
const (
	FieldRedirect    = "redirect_uris"
	FieldPostLogout  = "post_logout_redirect_uris"
	FieldBackchannel = "backchannel_logout_uri"
	FieldOrigin      = "origins"
)

// answerParameters are set by an authorization response; an address that
// already carries one would let two values arrive.
var answerParameters = [...]string{"code", "state", "iss", "error", "error_description", "id_token", "response"}

// CheckRegistration reports why a client of the type may not register the
// address for authorization responses, or nil. The fault is Invalid, with one
// of the reasons and the source FieldRedirect.
func CheckRegistration(raw string, clientType storage.ClientType) error {
	if err := checkTarget(raw, clientType); err != nil {
		return err.At(FieldRedirect)
	}
	return nil
}

// CheckPostLogout is CheckRegistration for where a browser goes after
// signing out, with the source FieldPostLogout.
func CheckPostLogout(raw string, clientType storage.ClientType) error {
	if err := checkTarget(raw, clientType); err != nil {
		return err.At(FieldPostLogout)
	}
	return nil
}

// CheckBackchannelLogout reports why the address is none that logout tokens can
// be delivered to, or nil: https, and http for clients that have a secret
// (Back-Channel Logout 1.0 section 2.2). Whether the server may call it, and
// without TLS, is internal/outbound's to say. The source is FieldBackchannel.
func CheckBackchannelLogout(raw string, clientType storage.ClientType) error {
	u, err := parse(raw)
	if err != nil {
		return err.At(FieldBackchannel)
	}
	if err := checkPage(u); err != nil {
		return err.At(FieldBackchannel)
	}
	if u.Scheme == "http" && (storage.Client{Type: clientType}).Public() {
		return invalidf(ReasonScheme, "must start with https:// for a %s client", clientType).At(FieldBackchannel)
	}
	return nil
}

// CheckLink reports why pages may not link to the address, or nil: https, and
// plain http on this machine. The fault names no source.
func CheckLink(raw string) error {
	u, err := parse(raw)
	if err != nil {
		return err
	}
	if err := checkWeb(u); err != nil {
		return err
	}
	return nil
}

func checkTarget(raw string, clientType storage.ClientType) *fault.Error {
	u, err := parse(raw)
	if err != nil {
		return err
	}
	query := u.Query()
	for _, name := range answerParameters {
		if query.Has(name) {
			return invalidf(ReasonParameter, "must not carry the query parameter %s, because the answer adds it", name)
		}
	}
	if clientType == storage.ClientNative && u.Scheme != "https" && u.Scheme != "http" {
		return checkPrivateScheme(u)
	}
	return checkWeb(u)
}

// checkWeb wants https, and allows plain http where nothing leaves the machine.
func checkWeb(u *url.URL) *fault.Error {
	if u.Scheme == "http" && u.Hostname() != "" && !isLoopback(u.Hostname()) {
		return invalidf(ReasonScheme, "must use https; plain http is only for localhost, 127.0.0.1 and [::1]")
	}
	return checkPage(u)
}

// checkPage wants https or http, and a host.
func checkPage(u *url.URL) *fault.Error {
	switch {
	case u.Scheme != "https" && u.Scheme != "http":
		return invalidf(ReasonScheme, "must start with https:// (schemes of an app's own are for native clients)")
	case u.Opaque != "" || u.Hostname() == "":
		return invalidf(ReasonMalformed, "must have a host after %s://", u.Scheme)
	}
	return checkHost(u)
}

// checkPrivateScheme wants a scheme made of a domain name turned round, the
// only ones an operating system can't give to every app at once, and which
// can't be javascript, data, file and the like (RFC 8252 section 7.1).
func checkPrivateScheme(u *url.URL) *fault.Error {
	labels := strings.Split(u.Scheme, ".")
	switch {
	case len(labels) < 2 || slices.Contains(labels, ""):
		return invalidf(ReasonScheme, "must use https, http on 127.0.0.1 or [::1], or a scheme made of your domain name turned round, such as com.example.app:/callback")
	case u.Opaque != "" || u.Host == "" && u.Path == "":
		return invalidf(ReasonMalformed, "must have a path after the scheme, as in %s:/callback", u.Scheme)
	}
	return nil
}

// Match reports whether the requested address is one of the registered ones:
// equal to the byte. The sole exception is the port of http on the loopback
// interface for native clients, because such an app takes whatever port is free
// (RFC 8252 section 7.3).
//
// Divergence: the name localhost is such a host too, which section 8.3 advises apps
// against, for there are many whose address it is.
func Match(registered []string, requested string, clientType storage.ClientType) bool {
	if slices.Contains(registered, requested) {
		return true
	}
	if clientType != storage.ClientNative {
		return false
	}
	return slices.ContainsFunc(registered, func(r string) bool {
		return sameButPort(r, requested)
	})
}

// IsLoopbackOrPrivate reports whether any program on a person's machine could
// take the answers sent to the address: consent for it is always asked
// (decision C6). What can't be read counts as such.
func IsLoopbackOrPrivate(uri string) bool {
	u, err := url.Parse(uri)
	return err != nil || u.Scheme != "https" || isLoopback(u.Hostname())
}
