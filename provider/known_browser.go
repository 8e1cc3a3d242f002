package provider

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

func (p *Provider) browserCookie() (name string, secure bool) {
	if strings.HasPrefix(p.issuer, "https://") {
		return secureBrowserCookie, true
	}
	return plainBrowserCookie, false
}

// rememberBrowser notes in the browser that the person signed in there.
func (p *Provider) rememberBrowser(w http.ResponseWriter, userID string) {
	id := p.ambient.UID()
	seal := p.ring.MAC(browserLabel, []byte(id), []byte(userID))
	name, secure := p.browserCookie()
	http.SetCookie(w, &http.Cookie{
		Name: name, Value: id + "." + base64.RawURLEncoding.EncodeToString(seal), Path: "/",
		MaxAge: int(browserMemory.Seconds()), Secure: secure, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}

// knownBrowser returns the id of the request's browser if it is one in which
// the person signed in, else "".
func (p *Provider) knownBrowser(r *http.Request, userID string) string {
	name, _ := p.browserCookie()
	cookies := r.CookiesNamed(name)
	if len(cookies) != 1 || userID == "" {
		return ""
	}
	id, text, _ := strings.Cut(cookies[0].Value, ".")
	seal, err := sealing.Decode(text)
	if err != nil || !p.ring.CheckMAC(browserLabel, seal, []byte(id), []byte(userID)) {
		return ""
	}
	return id
}
