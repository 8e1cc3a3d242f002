package upstreams

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"time"

	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/storage"
)

// An identity that is proven and nobody's yet waits, sealed, in a cookie of its
// browser for whoever signs in there and says that it is theirs.

const (
	pendingLabel        = "identity that waits for its account"
	securePendingCookie = "__Host-portico-identity"
	plainPendingCookie  = "portico-identity"
)

// pending is an identity that waits.
type pending struct {
	Identity storage.UpstreamIdentity `json:"identity"`
	Name     string                   `json:"name"`    // of the upstream
	UserID   string                   `json:"user"`    // whose it is to become; empty: whoever signs in
	Request  string                   `json:"request"` // that the person goes on with; empty: none
	Then     string                   `json:"then"`    // where they go on without one
	Claims   bool                     `json:"claims"`  // UserID is theirs without a sign-in, if they say so
	Until    time.Time                `json:"until"`
}

func pendingOf(said proof, attempt storage.UpstreamAttempt, now time.Time) pending {
	return pending{Identity: said.identity("", now), Name: said.upstream.Name, UserID: attempt.UserID,
		Request: attempt.Request, Then: attempt.Then, Until: now.Add(attemptLife)}
}

func (p *Pages) pendingCookie(value string, age int) *http.Cookie {
	cookie := p.cookie(value)
	cookie.Name, cookie.MaxAge = plainPendingCookie, age
	if cookie.Secure {
		cookie.Name = securePendingCookie
	}
	return cookie
}

// offer lets the identity wait, and sends its person to where they say whose it is.
func (p *Pages) offer(w http.ResponseWriter, r *http.Request, waits pending, to string) error {
	text, err := json.Marshal(waits)
	if err != nil {
		return err
	}
	box := base64.RawURLEncoding.EncodeToString(p.with.Ring.Seal(pendingLabel, text, nil))
	http.SetCookie(w, p.pendingCookie(box, int(attemptLife.Seconds())))
	return webpage.See(w, r, to)
}

// waiting returns the identity that waits in the browser for the person.
func (p *Pages) waiting(r *http.Request, userID string) (waits pending, err error) {
	waits, err = p.opened(r)
	if err == nil && waits.UserID != "" && waits.UserID != userID {
		err = errAttempt
	}
	waits.Identity.UserID = userID
	return waits, err
}

// opened returns what waits in the browser.
func (p *Pages) opened(r *http.Request) (waits pending, err error) {
	cookies := r.CookiesNamed(p.pendingCookie("", 0).Name)
	if len(cookies) != 1 {
		return waits, errAttempt
	}
	box, err := sealing.Decode(cookies[0].Value)
	if err != nil {
		return waits, errAttempt
	}
	text, _, err := p.with.Ring.Open(pendingLabel, box, nil)
	if err != nil || json.Unmarshal(text, &waits) != nil || p.with.Ambient.Now().After(waits.Until) {
		return waits, errAttempt
	}
	return waits, nil
}
