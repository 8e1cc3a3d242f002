package websession

import (
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
)

// A form that comes when its sign-in is over, or too old for what it does, is not
// lost: what was typed waits, sealed, until its person has signed in, and stands
// in the form again. Passwords and files don't wait. It is found by whom the form
// was shown to alone, and only a browser in which they once signed in can leave
// it there.

// Parameters of a form's address: which form it is, and whom it was shown to.
const (
	FormToken  = "form"
	FormPerson = "by"
)

const (
	parkedVariable = "parked"
	parkedLabel    = "parked form"
	parkedLife     = time.Hour
	maxParked      = 32 << 10 // bytes, of address and fields together

	// maxThen is how long a path may be that somebody goes on to after signing in.
	maxThen = 500
)

// Secret reports whether what is typed into a field of the name is not kept.
func Secret(field string) bool {
	return strings.Contains(field, "password") || slices.Contains([]string{"again", "code", "passkey", "secret"}, field)
}

// park keeps what was typed, and returns the page of the form, with it. What the address
// says beside may be too long for one that somebody is led to after signing in. Where its
// path is nothing waits: nobody would come there.
func (m *Manager) park(w http.ResponseWriter, r *http.Request, person string) (string, error) {
	token, query := m.ambient.Token(), asked(r)
	page := url.URL{Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: parkedVariable + "=" + token}
	if len(page.RequestURI()) > maxThen {
		return r.URL.EscapedPath(), nil
	}
	text, err := json.Marshal(httpio.Parked{Action: r.URL.Path, Query: query, Values: typed(w, r, maxParked-len(query))})
	if err != nil {
		return "", err
	}
	form, _, err := m.store.TakeForm(r.Context(), parkedKey(person, token), m.ambient.Now())
	if err != nil {
		return "", err
	}
	form.To, form.PageUntil = r.URL.EscapedPath(), m.ambient.Now().Add(parkedLife) // decoded it need not be text
	form.Page = m.ring.Seal(parkedLabel, text, form.Key)
	return page.RequestURI(), m.store.KeepForm(r.Context(), form)
}

// asked is the query that the page of the form is shown with.
func asked(r *http.Request) string {
	query := r.URL.Query()
	for _, name := range []string{FormToken, FormPerson, parkedVariable} {
		query.Del(name)
	}
	if text := query.Encode(); len(text) <= maxParked {
		return text
	}
	return ""
}

// typed is what the form holds, without secrets; nothing when that is no form of
// texts, or more than most.
func typed(w http.ResponseWriter, r *http.Request, most int) url.Values {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return nil
	}
	for name := range values {
		if Secret(name) && values.Get(name) != "" { // whoever typed none is not asked for it anew
			values.Del(name)
		}
	}
	if len(values.Encode()) > most {
		return nil
	}
	return values
}

// keyOf names the form of a session, or of nobody's, without telling its token.
func keyOf(sessionID, token string) []byte {
	key := sha256.Sum256([]byte(sessionID + "\x00" + token))
	return key[:]
}

func parkedKey(person, token string) []byte { return keyOf(parkedLabel+" "+person, token) }

// parked notes the form that the visitor had filled in, if the request names one
// of theirs, and has its page shown as the form was.
func (m *Manager) parked(r *http.Request, person string) error {
	token := r.URL.Query().Get(parkedVariable)
	if token == "" {
		return nil
	}
	form, err := m.store.ShowForm(r.Context(), parkedKey(person, token), m.ambient.Now())
	if err != nil && !fault.Is(err, fault.NotFound) {
		return err
	}
	if err != nil || form.Page == nil {
		return nil // it waited for too long, or for somebody else
	}
	text, _, err := m.ring.Open(parkedLabel, form.Page, form.Key)
	if err != nil {
		return err
	}
	kept := &httpio.Parked{}
	httpio.From(r.Context()).Person.Parked = kept
	err = json.Unmarshal(text, kept)
	if r.URL.RawQuery = ""; kept.Action == r.URL.Path {
		r.URL.RawQuery = kept.Query
	}
	return err
}
