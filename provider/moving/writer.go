package moving

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/pattern"
	"github.com/portico-id/portico/provider/scope"
)

// ReasonSource is the reason of the Invalid of a file that is not of its product.
const ReasonSource = "unreadable_source"

// writer writes a document. The first error stays.
type writer struct {
	json *json.Encoder
	err  error
	fits func(field, value string) bool

	misfits, attributes []string // of people, that are left out
}

func (w *writer) put(e Entry) {
	if w.err == nil {
		w.err = w.json.Encode(e)
	}
}

func (w *writer) note(format string, args ...any) { w.put(Entry{Note: fmt.Sprintf(format, args...)}) }

// several notes what many have in common in one line.
func (w *writer) several(who []string, format string) {
	if len(who) == 0 {
		return
	}
	slices.Sort(who)
	who = slices.Compact(who)
	shown := strings.Join(who[:min(len(who), 20)], ", ")
	if len(who) > 20 {
		shown += fmt.Sprintf(" and %d more", len(who)-20)
	}
	w.note(format, shown)
}

func unreadable(product string, err error) error {
	return fault.Newf(fault.Invalid, ReasonSource, "The file is none of %s.", product).Because(err)
}

var usernamePattern = pattern.Of(`^[A-Za-z0-9][A-Za-z0-9._-]{1,62}[A-Za-z0-9]$`)

// name gives a person the user name, if it can be one here; else their address is it.
func (u User) name(username string) (kept bool) {
	if usernamePattern().MatchString(username) {
		u[fieldUsername] = username
	}
	return u[fieldUsername] != nil || strings.EqualFold(username, u.text(fieldEmail))
}

// put gives a member a value, unless that is empty.
func (u User) put(field, value string) {
	if value != "" {
		u[field] = value
	}
}

// fill gives a person a field that they can do without, if the value fits.
func (w *writer) fill(u User, username, field, value string) {
	if value != "" && !w.fits(field, value) {
		w.misfits = append(w.misfits, field+" of "+username)
		return
	}
	u.put(field, value)
}

// leave leaves out an attribute of people that there is none of here.
func (w *writer) leave(attribute string) {
	if !slices.Contains(w.attributes, attribute) {
		w.attributes = append(w.attributes, attribute)
	}
}

// leftOut tells what of people is left out.
func (w *writer) leftOut() {
	w.several(w.misfits, "Values that can't be had here are left out: %s.")
	w.several(w.attributes, "Attributes of people that are left out: %s.")
}

func asList(names []string) []any {
	list := make([]any, len(names))
	for i, name := range names {
		list[i] = name
	}
	return list
}

// scopesOf returns what of the scopes of another product there is here, with openid.
func scopesOf(names []string) []string {
	kept := []string{scope.OpenID}
	for _, name := range []string{
		scope.Profile, scope.Email, scope.AddressOf, scope.Phone, scope.Groups, scope.OfflineAccess,
	} {
		if slices.Contains(names, name) {
			kept = append(kept, name)
		}
	}
	return kept
}

// publicType tells apps of browsers from installed ones by where they are come back to.
func publicType(redirects, origins []string) string {
	for _, uri := range redirects {
		u, err := url.Parse(uri)
		if err == nil && u.Scheme == "https" || len(origins) > 0 {
			return "spa"
		}
	}
	return "native"
}

// listed keeps the addresses that can be registered here, and notes the others.
func (w *writer) listed(client string, uris []string) (kept []string) {
	for _, uri := range uris {
		if strings.ContainsAny(uri, "*$") {
			w.note("The client %s has the address %s, which stands for many: register each of them.", client, uri)
			continue
		}
		kept = append(kept, uri)
	}
	return kept
}
