package websession

import (
	"crypto/sha256"
	"net/http"

	"github.com/portico-id/portico/internal/sealing"
)

// Names of the cookie. Browsers take the first only over https, for the whole
// host and from the host itself (the __Host- prefix of RFC 6265bis), so that no
// neighbouring domain can plant one. The plain name is for http on loopback.
const (
	secureCookie = "__Host-portico"
	plainCookie  = "portico"
)

// tokenBytes is how many random bytes a cookie's value stands for.
const tokenBytes = 32

// CookieName returns the name of the cookie.
func (m *Manager) CookieName() string {
	if m.secure {
		return secureCookie
	}
	return plainCookie
}

// Clear makes the browser forget the cookie.
func (m *Manager) Clear(w http.ResponseWriter) {
	cookie := m.cookie("")
	cookie.MaxAge = -1
	http.SetCookie(w, cookie)
}

// cookie returns the cookie with the value. It carries no lifetime: the browser
// drops it when it closes, and the server's limits hold whatever it does.
func (m *Manager) cookie(value string) *http.Cookie {
	return &http.Cookie{
		Name:     m.CookieName(),
		Value:    value,
		Path:     "/",
		Secure:   m.secure,
		HttpOnly: true,
		SameSite: http.SameSiteLaxMode,
	}
}

// presented returns the value of the request's cookie when there is exactly one
// and it has the form of ours. Two of one name mean that somebody planted one,
// and nothing tells which: neither counts.
func (m *Manager) presented(r *http.Request) (string, bool) {
	cookies := r.CookiesNamed(m.CookieName())
	if len(cookies) != 1 {
		return "", false
	}
	value := cookies[0].Value
	raw, err := sealing.Decode(value)
	if err != nil || len(raw) != tokenBytes {
		return "", false
	}
	return value, true
}

// hash returns what is stored instead of the cookie's value. The value has 256
// random bits, so one fast round is enough.
func hash(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}
