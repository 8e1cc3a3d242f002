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
// that its bearer once knew the password: tries from there are counted apart.

// Names of the cookie, with the __Host- prefix as the session's has it.
const (
	secureBrowserCookie = "__Host-portico-browser"
	plainBrowserCookie  = "portico-browser"
)

const (
	browserLabel  = "known-browser"
	browserMemory = 365 * 24 * time.Hour // from the last sign-in; browsers keep no cookie much longer
)

func (m *Manager) browserCookie() string {
	if m.secure {
		return secureBrowserCookie
	}
	return plainBrowserCookie
}

// RememberBrowser notes in the browser that the person signed in there.
func (m *Manager) RememberBrowser(w http.ResponseWriter, userID string) {
	id := m.ambient.UID()
	seal := m.ring.MAC(browserLabel, []byte(id), []byte(userID))
	http.SetCookie(w, &http.Cookie{
		Name: m.browserCookie(), Value: id + "." + base64.RawURLEncoding.EncodeToString(seal), Path: "/",
		MaxAge: int(browserMemory.Seconds()), Secure: m.secure, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}

// KnownBrowser returns the id of the request's browser if it is one in which
// the person signed in, else "".
func (m *Manager) KnownBrowser(r *http.Request, userID string) string {
	cookies := r.CookiesNamed(m.browserCookie())
	if len(cookies) != 1 || userID == "" {
		return ""
	}
	id, text, _ := strings.Cut(cookies[0].Value, ".")
	seal, err := sealing.Decode(text)
	if err != nil || !m.ring.CheckMAC(browserLabel, seal, []byte(id), []byte(userID)) {
		return ""
	}
	return id
}
