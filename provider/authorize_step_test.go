package provider

import (
	"testing"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/signing"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/storage"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// signedIn is a session that proved the person the given time before noon.
func signedIn(ago time.Duration) *websession.Session {
	return &websession.Session{LoginSession: storage.LoginSession{ID: "s", UserID: "PERSON", AuthTime: noon.Add(-ago)}}
}

// administrator is signedIn of one of the server.
func administrator(ago time.Duration) *websession.Session {
	session := signedIn(ago)
	session.User.Admin = true
	return session
}

// asking is a request for data:read by a web client.
func asking(change func(*authorizeRequest)) *authorizeRequest {
	a := &authorizeRequest{
		target: target{client: newClient(storage.Client{ID: "c", Type: storage.ClientWeb}),
			redirectURI: "https://app.example.test/cb"},
		scopes: []string{"data:read"}, maxAge: -1,
	}
	if change != nil {
		change(a)
	}
	return a
}

func prompts(values ...string) func(*authorizeRequest) {
	return func(a *authorizeRequest) { a.prompts = values }
}

// Rules: AUTH-31, FORM-8, PROMPT-1, PROMPT-3, PROMPT-6
func TestNextStep(t *testing.T) {
	yes := []string{"data:read"}
	native := func(a *authorizeRequest) {
		a.client = newClient(storage.Client{Type: storage.ClientNative, FirstParty: true})
		a.redirectURI = "http://127.0.0.1:7777/cb"
	}
	firstParty := func(a *authorizeRequest) { a.client.FirstParty = true }
	administers := func(a *authorizeRequest) { a.scopes = []string{"account:write"} }
	hinted := func(subject string) func(*authorizeRequest) {
		return func(a *authorizeRequest) { a.hint = &signing.IDHint{Subject: subject} }
	}
	hintedQuietly := func(a *authorizeRequest) { hinted("SOMEBODY")(a); a.prompts = []string{"none"} }
	maxAge := func(seconds int64) func(*authorizeRequest) {
		return func(a *authorizeRequest) { a.maxAge = seconds }
	}
	cases := []struct {
		name   string
		change func(*authorizeRequest)
		s      situation
		want   step
		code   string
	}{
		{"nobody is signed in: sign in", nil, situation{}, stepLogin, ""},
		{"nobody is signed in and prompt=none: login_required", prompts("none"), situation{}, 0, "login_required"},
		{"signed in, nothing allowed yet: consent", nil, situation{session: signedIn(time.Hour)}, stepConsent, ""},
		{"signed in, nothing allowed yet and prompt=none: consent_required", prompts("none"),
			situation{session: signedIn(time.Hour)}, 0, "consent_required"},
		{"signed in and allowed before: answer", nil, situation{session: signedIn(time.Hour), remembered: yes}, stepIssue,
			""},
		{"prompt=none with session and consent: answer", prompts("none"),
			situation{session: signedIn(time.Hour), remembered: yes}, stepIssue, ""},
		{"prompt=login with a session: sign in again", prompts("login"),
			situation{session: signedIn(time.Hour), remembered: yes}, stepLogin, ""},
		{"prompt=login, signed in for this request: answer", prompts("login"),
			situation{met: true, session: signedIn(time.Second), remembered: yes}, stepIssue, ""},
		{"prompt=login, signed in a moment ago, but not for this request: sign in", prompts("login"),
			situation{session: signedIn(0), remembered: yes}, stepLogin, ""},
		{"prompt=select_account with a session: sign in", prompts("select_account"),
			situation{session: signedIn(time.Hour), remembered: yes}, stepLogin, ""},
		{"prompt=consent asks although it was allowed before", prompts("consent"),
			situation{session: signedIn(time.Hour), remembered: yes}, stepConsent, ""},
		{"prompt=consent, decided in this request: answer", prompts("consent"),
			situation{session: signedIn(time.Hour), remembered: yes, decided: true, allowed: true}, stepIssue, ""},
		{"the person said no: access_denied", nil,
			situation{session: signedIn(time.Hour), decided: true}, 0, "access_denied"},
		{"the person said no though it was allowed before: access_denied", nil,
			situation{session: signedIn(time.Hour), remembered: yes, decided: true}, 0, "access_denied"},
		{"only part was allowed before: consent", nil,
			situation{session: signedIn(time.Hour), remembered: []string{"openid"}}, stepConsent, ""},
		{"first-party client: no consent", firstParty, situation{session: signedIn(time.Hour)}, stepIssue, ""},
		{"first-party client with prompt=consent: consent",
			func(a *authorizeRequest) { firstParty(a); a.prompts = []string{"consent"} },
			situation{session: signedIn(time.Hour)}, stepConsent, ""},
		{"first-party native client on loopback: consent", native, situation{session: signedIn(time.Hour)}, stepConsent, ""},
		{"native client on loopback, allowed before: consent all the same", native,
			situation{session: signedIn(time.Hour), remembered: yes}, stepConsent, ""},
		{"native client on loopback, allowed in this request: answer", native,
			situation{session: signedIn(time.Hour), remembered: yes, decided: true, allowed: true}, stepIssue, ""},
		{"native client on loopback and prompt=none: consent_required",
			func(a *authorizeRequest) { native(a); a.prompts = []string{"none"} },
			situation{session: signedIn(time.Hour), remembered: yes}, 0, "consent_required"},
		{"allowed in this request, but less than it wants by now: consent", nil,
			situation{session: signedIn(time.Hour), remembered: []string{"openid"}, decided: true, allowed: true}, stepConsent,
			""},
		{"the claims parameter names somebody else: sign in", func(a *authorizeRequest) { a.subjects = []string{"SOMEBODY"} },
			situation{session: signedIn(time.Hour), remembered: yes}, stepLogin, ""},
		{"the claims parameter names the person: answer", func(a *authorizeRequest) { a.subjects = []string{"PERSON"} },
			situation{session: signedIn(time.Hour), remembered: yes}, stepIssue, ""},
		{"first-party client that asks for administration: consent",
			func(a *authorizeRequest) { firstParty(a); a.scopes = []string{"account:write"} },
			situation{session: signedIn(time.Hour)}, stepConsent, ""},
		{"administration of the server, allowed by its administrator before: sign in again", administers,
			situation{session: administrator(10*time.Minute + time.Second), remembered: []string{"account:write"}}, stepAgain,
			""},
		{"administration of the server by its administrator, and prompt=none: login_required",
			func(a *authorizeRequest) { administers(a); a.prompts = []string{"none"} },
			situation{session: administrator(time.Hour), remembered: []string{"account:write"}}, 0, "login_required"},
		{"administration of the server, signed in lately: answer", administers,
			situation{session: administrator(10 * time.Minute), remembered: []string{"account:write"}}, stepIssue, ""},
		{"administration of what is somebody's own, long ago: answer", administers,
			situation{session: signedIn(time.Hour), remembered: []string{"account:write"}}, stepIssue, ""},
		{"administration that was not allowed: access_denied", administers,
			situation{session: administrator(time.Hour), decided: true}, 0, "access_denied"},
		{"a named claim is asked about like a scope", func(a *authorizeRequest) { a.claimScopes = []string{"email"} },
			situation{session: signedIn(time.Hour), remembered: yes}, stepConsent, ""},
		{"max_age met: answer", maxAge(3600), situation{session: signedIn(time.Hour), remembered: yes}, stepIssue, ""},
		{"max_age passed by a second: sign in", maxAge(3599), situation{session: signedIn(time.Hour), remembered: yes},
			stepLogin, ""},
		{"max_age met by a clock that was ahead by more: sign in", maxAge(3599),
			situation{session: signedIn(-time.Hour), remembered: yes}, stepLogin, ""},
		{"max_age passed and prompt=none: login_required",
			func(a *authorizeRequest) { maxAge(1)(a); a.prompts = []string{"none"} },
			situation{session: signedIn(time.Hour), remembered: yes}, 0, "login_required"},
		{"max_age=0, signed in for this request: answer", maxAge(0),
			situation{met: true, session: signedIn(time.Second), remembered: yes}, stepIssue, ""},
		{"max_age=0, signed in for another request: sign in", maxAge(0),
			situation{session: signedIn(time.Second), remembered: yes}, stepLogin, ""},
		{"the hint names the person: answer", hinted("PERSON"), situation{session: signedIn(time.Hour), remembered: yes},
			stepIssue, ""},
		{"the hint names somebody else: sign in", hinted("SOMEBODY"),
			situation{session: signedIn(time.Hour), remembered: yes}, stepLogin, ""},
		{"the hint names somebody else and prompt=none: login_required", hintedQuietly,
			situation{session: signedIn(time.Hour), remembered: yes}, 0, "login_required"},
		{"the hint names somebody else than who signed in for this request: login_required, not a loop", hinted("SOMEBODY"),
			situation{met: true, session: signedIn(time.Second), remembered: yes}, 0, "login_required"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			c.s.now = noon
			got, err := nextStep(asking(c.change), c.s)
			if c.code != "" {
				if !fault.HasReason(err, c.code) {
					t.Fatalf("got step %d, error %v; want %s", got, err, c.code)
				}
				return
			}
			if err != nil || got != c.want {
				t.Fatalf("got step %d, error %v; want step %d", got, err, c.want)
			}
		})
	}
}
