package websession

import (
	"encoding/base64"
	"net/http"
	"strings"
	"time"

	"github.com/portico-id/portico/internal/sealing"
)

// A browser remembers who signed in there last, by a cookie that nobody but the
// server can make and that tells nobody who it is about. It proves nothing but
// that its bearer once knew the password: tries from there are counted apart, as
// long as that is the password.

// Names of the cookie, with the __Host- prefix as the session's has it.
const (
	secureBrowserCookie = "__Host-portico-browser"
	plainBrowserCookie  = "portico-browser"
)

const (
	browserLabel  = "known-browser"
	trustedLabel  = "known-browser and password"
	browserMemory = 365 * 24 * time.Hour // from the last sign-in; browsers keep no cookie much longer
)

func (m *Manager) browserCookie() string {
	if m.secure {
		return secureBrowserCookie
	}
	return plainBrowserCookie
}

func encode(seal []byte) string { return base64.RawURLEncoding.EncodeToString(seal) }

// RememberBrowser notes in the browser that the person signed in there, whose
// password has the digest.
func (m *Manager) RememberBrowser(w http.ResponseWriter, userID string, password []byte) {
	id := m.ambient.UID()
	known := m.ring.MAC(browserLabel, []byte(id), []byte(userID))
	trusted := m.ring.MAC(trustedLabel, []byte(id), []byte(userID), password)
	http.SetCookie(w, &http.Cookie{
		Name: m.browserCookie(), Value: id + "." + encode(known) + "." + encode(trusted), Path: "/",
		MaxAge: int(browserMemory.Seconds()), Secure: m.secure, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}

// KnownBrowser returns the id of the request's browser if it is one in which
// the person signed in, else "".
func (m *Manager) KnownBrowser(r *http.Request, userID string) string {
	return m.sealedBrowser(r, 1, browserLabel, []byte(userID))
}

// TrustedBrowser is KnownBrowser for a browser in which the person signed in since
// their password is what it is, by its digest.
func (m *Manager) TrustedBrowser(r *http.Request, userID string, password []byte) string {
	return m.sealedBrowser(r, 2, trustedLabel, []byte(userID), password)
}

// sealedBrowser returns the id that the cookie begins with if the part of it with
// the number seals what is said.
func (m *Manager) sealedBrowser(r *http.Request, part int, label string, said ...[]byte) string {
	cookies := r.CookiesNamed(m.browserCookie())
	if len(cookies) != 1 || len(said[0]) == 0 {
		return ""
	}
	parts := strings.Split(cookies[0].Value, ".")
	if len(parts) <= part {
		return ""
	}
	seal, err := sealing.Decode(parts[part])
	if err != nil || !m.ring.CheckMAC(label, seal, append([][]byte{[]byte(parts[0])}, said...)...) {
		return ""
	}
	return parts[0]
}
