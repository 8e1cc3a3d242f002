package provider_test

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/provider/factors"
	"github.com/portico-id/portico/storage"
)

// device is a person's authenticator app, as RFC 6238 has it.
type device struct {
	*world
	user   storage.User
	secret []byte
	codes  []string // for when it is lost
}

// code is what the app shows so many steps from now.
func (d *device) code(steps int64) string {
	h := hmac.New(sha1.New, d.secret)
	h.Write(binary.BigEndian.AppendUint64(nil, uint64(d.ambient.Now().Unix()/30+steps)))
	sum := h.Sum(nil)
	at := sum[19] & 15
	return fmt.Sprintf("%06d", binary.BigEndian.Uint32(sum[at:at+4])&0x7fffffff%1e6)
}

// wrongCode is none that is good about now.
func (d *device) wrongCode() string {
	for n := range 10 {
		text := fmt.Sprintf("%06d", n)
		if text != d.code(-1) && text != d.code(0) && text != d.code(1) && text != d.code(2) {
			return text
		}
	}
	return ""
}

// guarded adds a person with an authenticator app.
func (w *world) guarded(email string) *device {
	w.Helper()
	return w.guards(w.person(email))
}

// guards gives a person an authenticator app.
func (w *world) guards(user storage.User) *device {
	w.Helper()
	d := &device{world: w, user: user}
	e := w.Factors.Begin(d.user, "")
	secret, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(e.Secret)
	w.must(err)
	d.secret = secret
	d.codes, err = w.Factors.Enrol(w.Context(), w.act(), d.user, storage.LoginSession{}, e, d.code(0))
	w.must(err)
	w.wait(time.Minute) // the code of the enrolment is used up
	return d
}

// password types the password on the page and expects to be asked for a code.
func (b *browser) password(v visit, email string) visit {
	b.Helper()
	v = b.submit(v, "login-form", form("username", email, "password", goodPassword))
	if v.At.Path != "/login/code" || v.Status != http.StatusOK {
		b.Fatalf("after the password: %s, status %d", v.At, v.Status)
	}
	return v
}

func (b *browser) typesCode(v visit, code string) visit {
	b.Helper()
	return b.submit(v, "code-form", form("code", code))
}

// Rule: FACTOR-1
func TestASecondFactorIsAskedForBetweenPasswordAndConsent(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		d := w.guarded(somebody)
		w.person("plain@example.test")
		a := w.app(apps.Registration{})
		b := w.browser()
		v := b.password(b.get(w.authorizeURL(a)), somebody)
		if !strings.Contains(string(v.Body), "Example App") || b.isSignedIn() {
			t.Errorf("halfway: signed in %v\n%s", b.isSignedIn(), v.Body)
		}
		if v = b.typesCode(v, d.code(0)); v.At.Path != "/consent" {
			t.Fatalf("after the code: %s, status %d\n%s", v.At, v.Status, v.Body)
		}
		if v = b.submit(v, "consent-form", form("decision", "allow")); v.Away == nil {
			t.Fatalf("after consent: %s", v.At)
		}
		w.wait(time.Minute)
		claims := w.browser().guardedClaims(a, d)
		if diff := cmp.Diff([]any{"pwd", "otp", "mfa"}, claims["amr"]); diff != "" || claims["acr"] != "urn:portico:acr:2" {
			t.Errorf("acr %v, amr -want +got:\n%s", claims["acr"], diff)
		}
		plain := w.browser()
		if v := plain.through(plain.get(w.authorizeURL(a)), "plain@example.test"); v.Away == nil {
			t.Errorf("somebody without a factor is at %s", v.At)
		}
	})
}

// guardedClaims are those of an ID token for a guarded person.
func (b *browser) guardedClaims(a app, d *device, pairs ...string) map[string]any {
	b.Helper()
	v := b.typesCode(b.password(b.get(b.authorizeURL(a, pairs...)), d.user.Email), d.code(0))
	if v.At.Path == "/consent" {
		v = b.submit(v, "consent-form", form("decision", "allow"))
	}
	if v.Away == nil {
		b.Fatalf("still on %s, status %d\n%s", v.At, v.Status, v.Body)
	}
	return payload(b, b.redeem(a, v.Away.Query().Get("code")).JSON(b)["id_token"])
}

// Rule: FACTOR-2
func TestTheSecondStepCanNotBeSkipped(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		d := w.guarded(somebody)
		a := w.app(apps.Registration{})
		b := w.browser()
		code := b.password(b.get(w.authorizeURL(a)), somebody)
		request := code.At.Query().Get("request")
		for name, v := range map[string]visit{
			"consent":         b.get(w.URL + "/consent?request=" + request),
			"the way back":    b.get(w.URL + "/authentication/v2/authorize/resume?request=" + request),
			"home":            b.get(w.URL + "/"),
			"an empty code":   b.typesCode(code, ""),
			"spaces":          b.typesCode(code, " - "),
			"the password":    b.typesCode(code, goodPassword),
			"a consent":       b.posts("/consent?request="+request, form("decision", "allow")),
			"another request": b.get(w.URL + "/login/code?request=other"),
		} {
			if v.Away != nil || v.At.Path == "/consent" || b.isSignedIn() {
				t.Errorf("%s: at %s, away %v, signed in %v", name, v.At, v.Away, b.isSignedIn())
			}
		}
		stranger := w.browser()
		if v := stranger.posts("/login/code?request="+request, form("code", d.code(0))); v.At.Path != "/login" {
			t.Errorf("a code without the password leads to %s", v.At)
		}
		if v := b.posts("/login/code", form("code", d.code(0))); v.At.Path != "/login" || b.isSignedIn() {
			t.Errorf("the step of one sign-in is good for another: %s", v.At)
		}
		w.wait(11 * time.Minute)
		for name, v := range map[string]visit{"the code": b.typesCode(code, d.code(0)), "a reload": b.get(code.At.String())} {
			if body := string(v.Body); v.At.Path != "/login" || !strings.Contains(body, "Your first step counts no more") ||
				!strings.Contains(body, a.Name) {
				t.Errorf("%s, after eleven minutes: %s\n%s", name, v.At, body)
			}
		}
		code = b.password(b.get(w.authorizeURL(a)), somebody)
		if v := b.typesCode(code, d.code(0)); v.At.Path != "/consent" {
			t.Errorf("all steps in time: %s", v.At)
		}
	})
}

// posts sends a form without having seen it.
func (b *browser) posts(path string, values url.Values) visit {
	b.Helper()
	r, err := http.NewRequest(http.MethodPost, b.URL+path, strings.NewReader(values.Encode()))
	b.must(err)
	r.Header.Set("Content-Type", formType)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return b.follow(r)
}

// Rule: FACTOR-2
func TestWhoeverIsHalfwayIsNotAfterTheirPasswordChanged(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		d := w.guarded(somebody)
		b := w.browser()
		code := b.password(b.get(w.URL+"/login?then=%2Fx"), somebody)
		w.must(w.People.SetPassword(t.Context(), w.act(), d.user, "another good password", ""))
		if v := b.typesCode(code, d.code(0)); v.At.Path != "/login" || b.isSignedIn() {
			t.Errorf("at %s", v.At)
		}
	})
}

// proves signs the person in by a code after nothing else.
func (d *device) proves(rules *factors.Factors, code string) error {
	proof := storage.Proof{TwoFactor: true}
	err := rules.Prove(d.Context(), d.act(), d.user.ID, code, &proof)
	if err != nil {
		return err
	}
	source := ambient.System()
	return d.Store.StartSession(d.Context(), d.act(), storage.LoginSession{ID: source.UID(), UserID: d.user.ID,
		TokenHash: source.Bytes(32), AuthTime: d.act().At, CreatedAt: d.act().At, LastSeenAt: d.act().At,
		ExpiresAt: d.act().At.Add(time.Hour)}, proof)
}

// Rule: FACTOR-3
func TestACodeIsGoodOnceAndOnlyAboutItsTime(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		d := w.guarded(somebody)
		try := func(code string) error {
			return d.proves(w.Factors, code)
		}
		for name, code := range map[string]string{"two steps old": d.code(-2), "two steps ahead": d.code(2), "none": ""} {
			if err := try(code); !fault.HasReason(err, factors.ReasonWrongCode) {
				t.Errorf("%s: %v", name, err)
			}
		}
		w.must(try(d.code(-1)))
		w.must(try(d.code(0)[:3] + " " + d.code(0)[3:]))
		for name, code := range map[string]string{"used": d.code(0), "used before": d.code(-1)} {
			if err := try(code); !fault.HasReason(err, factors.ReasonWrongCode) {
				t.Errorf("%s: %v", name, err)
			}
		}
		arabic := func(r rune) rune { return r - '0' + '٠' } // as a keyboard or an authenticator app has them
		w.must(try("\u200f" + strings.Map(arabic, d.code(1))))
		w.wait(90 * time.Second)
		w.must(try(strings.ToLower(d.codes[3])))
		if err := try(d.codes[3]); !fault.HasReason(err, factors.ReasonWrongCode) {
			t.Errorf("a recovery code twice: %v", err)
		}
		w.must(try(d.codes[4]))
	})
}

// Rule: FACTOR-3
func TestOfFiftyWhoTypeOneCodeOneIsLetIn(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		other := newWorld(t, settings{database: database, beside: w})
		for name, code := range map[string]func(d *device) string{
			"of the app":   func(d *device) string { return d.code(0) },
			"for recovery": func(d *device) string { return d.codes[0] },
		} {
			d := w.guarded(strings.ReplaceAll(name, " ", "-") + "@example.test")
			typed := code(d)
			var all sync.WaitGroup
			results := make([]error, 50)
			for i := range results {
				rules := []*factors.Factors{w.Factors, other.Factors}[i%2]
				all.Go(func() { results[i] = d.proves(rules, typed) })
			}
			all.Wait()
			won := 0
			for _, err := range results {
				switch {
				case err == nil:
					won++
				case !fault.HasReason(err, factors.ReasonWrongCode) && !fault.HasReason(err, factors.ReasonTooMany) &&
					!fault.HasReason(err, storage.ReasonSpent):
					t.Errorf("%s: %v", name, err)
				}
			}
			if won != 1 {
				t.Errorf("a code %s lets %d in", name, won)
			}
		}
	})
}

// Rule: FACTOR-4
func TestGuessesAtCodesAreCountedAnAccount(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		d, other := w.guarded(somebody), w.guarded("other@example.test")
		for i := range 10 {
			b := w.browser()
			v := b.typesCode(b.password(b.get(w.URL+"/login"), somebody), d.wrongCode())
			if v.Status != http.StatusUnprocessableEntity || b.isSignedIn() ||
				!strings.Contains(string(v.Body), `id="code-error"`) {
				t.Fatalf("try %d: status %d\n%s", i+1, v.Status, v.Body)
			}
		}
		b := w.browser()
		v := b.typesCode(b.password(b.get(w.URL+"/login"), somebody), d.code(0))
		if v.Status != http.StatusTooManyRequests || v.Header.Get("Retry-After") != "300" || b.isSignedIn() {
			t.Errorf("the right code after ten wrong ones: status %d, retry after %s", v.Status, v.Header.Get("Retry-After"))
		}
		b = w.browser()
		if v := b.typesCode(b.password(b.get(w.URL+"/login"), "other@example.test"), other.code(0)); v.At.Path != "/" {
			t.Errorf("another account: %s", v.At)
		}
		if strings.HasPrefix(database, "postgres") {
			return // tries go by its clock, which no test can put forward
		}
		w.wait(5 * time.Minute)
		b = w.browser()
		if v := b.typesCode(b.password(b.get(w.URL+"/login"), somebody), d.code(0)); v.At.Path != "/" {
			t.Errorf("five minutes later: %s, status %d", v.At, v.Status)
		}
	})
}

// Rule: FACTOR-5
func TestTheSessionIsNewAfterTheSecondStep(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		d := w.guarded(somebody)
		b := w.browser()
		at, err := url.Parse(w.URL)
		w.must(err)
		b.client.Jar.SetCookies(at, []*http.Cookie{{Name: "portico", Value: strings.Repeat("A", 43), Path: "/"}})
		v := b.password(b.get(w.URL+"/login"), somebody)
		halfway := b.cookie("portico-halfway")
		for _, value := range []string{halfway, b.cookie("portico")} {
			other := w.browser()
			other.client.Jar.SetCookies(at, []*http.Cookie{{Name: "portico", Value: value, Path: "/"}})
			if other.isSignedIn() {
				t.Error("a cookie from before the second step is a session")
			}
		}
		b.typesCode(v, d.code(0))
		if !b.isSignedIn() || b.cookie("portico-halfway") != "" || b.cookie("portico") == strings.Repeat("A", 43) {
			t.Errorf("signed in %v, halfway %q, session %q", b.isSignedIn(), b.cookie("portico-halfway"), b.cookie("portico"))
		}
		forger := w.browser()
		forger.client.Jar.SetCookies(at, []*http.Cookie{{Name: "portico-halfway",
			Value: flip(halfway, len(halfway)/2), Path: "/"}})
		if v := forger.get(w.URL + "/login/code"); v.At.Path != "/login" {
			t.Errorf("a step that was made up: %s", v.At)
		}
	})
}

// Rule: FACTOR-6
func TestASessionOfAPasswordAloneEndsWhenAFactorComesUp(t *testing.T) {
	w := newWorld(t, settings{})
	user := w.person(somebody)
	b := w.browser()
	b.signIn(somebody, goodPassword)
	session, err := w.Store.ListSessions(t.Context(), user.ID, w.ambient.Now(), time.Unix(0, 0))
	w.must(err)
	_, err = w.Store.AddAuthenticator(t.Context(), w.act(),
		storage.Authenticator{UserID: user.ID, Secret: []byte("x"), CreatedAt: w.ambient.Now()}, nil,
		storage.LoginSession{}, storage.Proof{})
	w.must(err)
	if b.isSignedIn() {
		t.Error("it outlives the new factor")
	}
	err = w.Store.StartSession(t.Context(), w.act(), session[0],
		storage.Proof{}) // as somebody does who was asked for the password just before
	if !fault.HasReason(err, storage.ReasonSignInOver) || b.isSignedIn() {
		t.Errorf("a sign-in under way gets around the factor: %v", err)
	}
}
