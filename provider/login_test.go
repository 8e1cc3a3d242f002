package provider_test

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/provider/people"
)

// signIn tries to sign in on the plain sign-in page.
func (b *browser) signIn(username, password string) visit {
	b.Helper()
	return b.submit(b.get(b.URL+"/login"), "login-form", form("username", username, "password", password))
}

func (w *world) named(email, username string) {
	w.Helper()
	_, err := w.People.Create(w.Context(), w.act(), people.Newcomer{Email: email, Name: "Demo Person", Username: username,
		Password: goodPassword})
	w.must(err)
}

// Rule: SIGNIN-5
func TestSignInTakesAddressOrUserNameInAnySpelling(t *testing.T) {
	w := newWorld(t, settings{})
	w.named("Person@Example.test", "Demo.Person")
	for _, name := range []string{
		"person@example.test", "Person@Example.test", "PERSON@EXAMPLE.TEST", "demo.person", "DEMO.PERSON", " demo.person ",
	} {
		if v := w.browser().signIn(name, goodPassword); v.At.Path != "/" {
			t.Errorf("%q: ended on %s, status %d", name, v.At, v.Status)
		}
	}
	if v := w.browser().signIn("demo.person2", goodPassword); v.Status != http.StatusUnprocessableEntity {
		t.Errorf("another name: status %d", v.Status)
	}
}

var challenge = regexp.MustCompile(`data-challenge="[^"]+"`)

// Rule: SIGNIN-6
func TestARefusedSignInDoesNotTellWhy(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		disabled := w.person("disabled@example.test")
		w.must(w.Store.SetUserDisabled(t.Context(), w.act(), disabled.ID, true))
		_, err := w.People.Create(t.Context(), w.act(), people.Newcomer{Email: "none@example.test", Name: "No Password"})
		w.must(err)
		page := func(name, password string) string {
			v := w.browser().signIn(name, password)
			if v.Status != http.StatusUnprocessableEntity || v.At.Path != "/login" || v.Header.Get("Set-Cookie") != "" {
				t.Errorf("%s: status %d on %s, cookie %q", name, v.Status, v.At, v.Header.Get("Set-Cookie"))
			}
			if strings.Contains(string(v.Body), password) {
				t.Errorf("%s: the page shows the password", name)
			}
			body := challenge.ReplaceAllString(string(v.Body), "CHALLENGE") // each page has one of its own
			return strings.ReplaceAll(body, name, "NAME")
		}
		want := page("nobody@example.test", "wrong horse battery")
		if !strings.Contains(want, `id="login-error"`) {
			t.Errorf("the page says nothing:\n%s", want)
		}
		for name, password := range map[string]string{
			somebody: "wrong horse battery", "disabled@example.test": goodPassword, "none@example.test": "some password",
			"nobody": goodPassword,
		} {
			if page(name, password) != want {
				t.Errorf("%s gets another page than an unknown name", name)
			}
		}
		if v := w.browser().signIn(somebody, goodPassword); v.At.Path != "/" {
			t.Errorf("the right password: ended on %s", v.At)
		}
	})
}

// Rule: SIGNIN-7
func TestGuessesAreCountedPerAccountAcrossItsSpellings(t *testing.T) {
	w := newWorld(t, settings{})
	w.named(somebody, "demo")
	w.person("other@example.test")
	spellings := []string{somebody, strings.ToUpper(somebody), "demo", "DEMO", " demo "}
	for i := range 10 {
		if v := w.browser().signIn(spellings[i%len(spellings)],
			"wrong horse battery"); v.Status != http.StatusUnprocessableEntity {
			t.Fatalf("try %d: status %d", i+1, v.Status)
		}
	}
	for _, name := range spellings {
		if v := w.browser().signIn(name, goodPassword); v.Status == http.StatusSeeOther || v.At.Path != "/login" {
			t.Errorf("%q after ten wrong tries: status %d at %s", name, v.Status, v.At)
		}
	}
	if v := w.browser().signIn("other@example.test", goodPassword); v.At.Path != "/" {
		t.Errorf("another account: status %d", v.Status)
	}
	w.wait(time.Minute)
	if v := w.browser().signIn("demo", goodPassword); v.At.Path != "/" {
		t.Errorf("a minute later: status %d", v.Status)
	}
	for i := range 9 { // the right password has cleared the count
		if v := w.browser().signIn("demo", "wrong horse battery"); v.Status != http.StatusUnprocessableEntity {
			t.Fatalf("try %d after success: status %d", i+1, v.Status)
		}
	}
}

// Rule: SIGNIN-7
func TestTriesAtOneNameDoNotTellWhatElseTheAccountIsCalled(t *testing.T) {
	w := newWorld(t, settings{})
	w.named(somebody, "demo")
	answers := func(address, name string) (all []string) {
		for i := range 12 {
			v := w.browser().signIn(address, "wrong horse battery")
			all = append(all, fmt.Sprint(i, " ", v.Status, " ", v.Header.Get("Retry-After")))
		}
		v := w.browser().signIn(name, goodPassword)
		return append(all, fmt.Sprint(v.Status, " ", v.Header.Get("Retry-After"), " ",
			strings.Contains(string(v.Body), "is not right")))
	}
	theirs, nobodys := answers(somebody, "demo"), answers("nobody@example.test", "nobody")
	if diff := cmp.Diff(nobodys, theirs); diff != "" {
		t.Errorf("an account is answered otherwise than nobody (-nobody +account):\n%s", diff)
	}
	if theirs[9] != "9 422 " || theirs[10] != "10 429 30" || theirs[12] != "422  true" {
		t.Errorf("the answers are %q", theirs)
	}
	w.wait(time.Minute)
	if v := w.browser().signIn("demo", goodPassword); v.At.Path != "/" {
		t.Errorf("a minute later: status %d", v.Status)
	}
}

// Rule: SIGNIN-10
func TestAStrangerWhoUsesUpAnAccountsTriesDoesNotKeepItsOwnerOut(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	w.person("other@example.test")
	owner, other, stranger := w.browser(), w.browser(), w.browser()
	owner.signIn(somebody, goodPassword)
	owner.get(w.logoutURL())
	other.signIn("other@example.test", goodPassword)
	other.get(w.logoutURL())
	exhaust := func(b *browser) {
		t.Helper()
		for range 10 {
			b.signIn(somebody, "wrong horse battery")
		}
		if v := b.signIn(somebody, goodPassword); v.Status != http.StatusTooManyRequests {
			t.Errorf("after ten tries: status %d", v.Status)
		}
	}
	exhaust(stranger)
	if v := other.signIn(somebody, goodPassword); v.Status != http.StatusTooManyRequests {
		t.Errorf("a browser in which somebody else signed in: status %d", v.Status)
	}
	if v := owner.signIn(somebody, goodPassword); v.At.Path != "/" {
		t.Errorf("the owner's browser: status %d", v.Status)
	}
	if v := stranger.signIn(somebody, goodPassword); v.Status != http.StatusTooManyRequests {
		t.Errorf("the owner's sign-in gives the stranger new tries: status %d", v.Status)
	}
	owner.get(w.logoutURL())
	exhaust(owner) // a known browser has as many tries, and no more
}

// Rule: SIGNIN-10
func TestTheCookieOfAKnownBrowserCannotBeMadeUpOrPassedOn(t *testing.T) {
	w := newWorld(t, settings{})
	user := w.person(somebody)
	at, err := url.Parse(w.URL)
	w.must(err)
	b := w.browser()
	b.signIn(somebody, goodPassword)
	cookie := b.cookie("portico-browser")
	if strings.Contains(cookie, user.ID) || strings.Contains(cookie, somebody) {
		t.Errorf("the cookie tells whose browser it is: %s", cookie)
	}
	for range 10 {
		w.browser().signIn(somebody, "wrong horse battery")
	}
	for name, value := range map[string]string{
		"changed": flip(cookie, len(cookie)-10), "another id": flip(cookie, 0),
		"without a seal": strings.Split(cookie, ".")[0], "spare bits": respelled(cookie), "empty": "",
	} {
		forger := w.browser()
		forger.client.Jar.SetCookies(at, []*http.Cookie{{Name: "portico-browser", Value: value, Path: "/"}})
		if v := forger.signIn(somebody, goodPassword); v.Status != http.StatusTooManyRequests {
			t.Errorf("%s: status %d", name, v.Status)
		}
	}
	known := w.browser()
	known.client.Jar.SetCookies(at, []*http.Cookie{{Name: "portico-browser", Value: cookie, Path: "/"}})
	if known.isSignedIn() {
		t.Error("the cookie is a session")
	}
	if v := known.signIn(somebody, goodPassword); v.At.Path != "/" {
		t.Errorf("unchanged: status %d", v.Status)
	}
}

// cookie returns the value of the browser's cookie with the name, "" for none.
func (b *browser) cookie(name string) string {
	b.Helper()
	at, err := url.Parse(b.URL)
	b.must(err)
	for _, c := range b.client.Jar.Cookies(at) {
		if c.Name == name {
			return c.Value
		}
	}
	return ""
}

// Rule: SIGNIN-7
func TestGuessesAtNamesNobodyHasAreCountedToo(t *testing.T) {
	w := newWorld(t, settings{})
	for _, names := range [][]string{
		{"nobody", "NOBODY", " nobody ", "Nobody"},
		{"z\u00fcrich", "zu\u0308rich", "Z\u00dcRICH", "ZU\u0308RICH"}, // one name in two Unicode forms
	} {
		status := 0
		for i := range 11 {
			status = w.browser().signIn(names[i%len(names)], "wrong horse battery").Status
		}
		if status != http.StatusTooManyRequests {
			t.Errorf("%q: the eleventh try gets %d", names, status)
		}
	}
}

// Rule: SIGNIN-4
func TestFormsOfOtherSitesAreRefusedAndOursAreNot(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	a := w.app(apps.Registration{})
	for _, header := range [][]string{
		{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"},
		{"Origin", "https://evil.example"}, {"Origin", "null"},
	} {
		b := w.browser()
		v := b.get(w.authorizeURL(a))
		b.crossSite(v, header, form("username", somebody, "password", goodPassword))
		v = b.submit(v, "login-form", form("username", somebody, "password", goodPassword))
		if v.At.Path != "/consent" {
			t.Fatalf("our own sign-in page ends on %s", v.At)
		}
		b.crossSite(v, header, form("decision", "allow"))
		v.At.Path, v.At.RawQuery = "/signout", ""
		b.crossSite(v, header, nil)
		if !b.isSignedIn() {
			t.Error("another site signed the person out")
		}
	}
	b := w.browser()
	if v := b.through(b.get(w.authorizeURL(a)), somebody); v.Away == nil {
		t.Errorf("our own pages end on %s", v.At)
	}
}

// crossSite posts the values to where the browser stands, as another site would.
func (b *browser) crossSite(v visit, header []string, values url.Values) {
	b.Helper()
	r, err := http.NewRequest(http.MethodPost, v.At.String(), strings.NewReader(values.Encode()))
	b.must(err)
	r.Header.Set("Content-Type", formType)
	r.Header.Set(header[0], header[1])
	if got := b.do(b.client, r); got.Status != http.StatusForbidden || got.Header.Get("Set-Cookie") != "" {
		b.Errorf("%s from %v: status %d", v.At.Path, header, got.Status)
	}
}

// Rule: SIGNIN-2
func TestTheCookieIsNewAtEverySignIn(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		at, err := url.Parse(w.URL)
		w.must(err)
		planted := strings.Repeat("A", 43)
		b := w.browser()
		b.client.Jar.SetCookies(at, []*http.Cookie{{Name: "portico", Value: planted, Path: "/"}})
		b.signIn(somebody, goodPassword)
		first := b.cookie("portico")
		if first == planted {
			t.Error("a cookie from before the sign-in became a session")
		}
		v := b.through(b.get(w.authorizeURL(w.app(apps.Registration{}), "prompt", "login")), somebody)
		second := b.cookie("portico")
		if v.Away == nil || second == first {
			t.Errorf("signing in again on %s kept the cookie", v.At)
		}
		for value, want := range map[string]bool{planted: false, first: false, second: true} {
			other := w.browser()
			other.client.Jar.SetCookies(at, []*http.Cookie{{Name: "portico", Value: value, Path: "/"}})
			if other.isSignedIn() != want {
				t.Errorf("cookie %.4s… is a session: %v, want %v", value, !want, want)
			}
		}
	})
}

// Rule: AUTH-26
func TestAfterASignInTheBrowserGoesOnWithGET(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	values := form("username", somebody, "password", goodPassword).Encode()
	got := w.send(http.MethodPost, "/login", values, "Content-Type", formType)
	if got.Status != http.StatusSeeOther || got.Header.Get("Location") != "/" {
		t.Errorf("status %d to %q, want 303", got.Status, got.Header.Get("Location"))
	}
}

// Rule: SIGNIN-11
func TestAnEmptyFormSignsNobodyIn(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		_, err := w.People.Create(t.Context(), w.act(), people.Newcomer{Email: "none@example.test", Name: "No Password"})
		w.must(err)
		for name, values := range map[string]url.Values{
			"nothing": nil, "no password": form("username", somebody),
			"an empty password": form("username", somebody, "password", ""),
			"no name":           form("password", goodPassword), "an empty name": form("username", "", "password", goodPassword),
			"a person without a password, and none": form("username", "none@example.test", "password", ""),
		} {
			got := w.send(http.MethodPost, "/login", values.Encode(), "Content-Type", formType)
			cookie, _, _ := strings.Cut(got.Header.Get("Set-Cookie"), "=")
			if got.Status != http.StatusUnprocessableEntity || cookie != "portico-visitor" { // which names the browser alone
				t.Errorf("%s: status %d, cookie %q", name, got.Status, got.Header.Get("Set-Cookie"))
			}
		}
		whole := form("username", somebody, "password", goodPassword)
		if got := w.send(http.MethodPost, "/login", whole.Encode(), "Content-Type",
			formType); got.Status != http.StatusSeeOther {
			t.Errorf("the whole form: status %d", got.Status)
		}
	})
}

// Rule: AUTH-30
func TestASignInThatTookTooLongOrIsFinishedHasAPage(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	a := w.app(apps.Registration{})
	b := w.browser()
	v := b.get(w.authorizeURL(a))
	w.wait(59 * time.Minute)
	if again := b.get(v.At.String()); again.Status != http.StatusOK {
		t.Errorf("within the hour: status %d", again.Status)
	}
	w.wait(2 * time.Minute)
	if again := b.get(v.At.String()); again.Status != http.StatusGone {
		t.Errorf("after an hour: status %d", again.Status)
	}
	if made := b.get(w.URL + "/login?request=made-up"); made.Status != http.StatusGone {
		t.Errorf("a request that never was: status %d", made.Status)
	}
}

// Rule: AUTH-35
func TestAFinishedSignInIsOfferedOnceMore(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	a := w.app(apps.Registration{})
	b := w.browser()
	parked := b.get(w.authorizeURL(a))
	if v := b.through(parked, somebody); v.Away == nil {
		t.Fatalf("on %s", v.At)
	}
	over := b.get(parked.At.String())
	if over.Status != http.StatusGone {
		t.Fatalf("a finished sign-in answers %d", over.Status)
	}
	way := regexp.MustCompile(`id="way-on" [^>]*href="([^"]+)"`).FindStringSubmatch(string(over.Body))
	if way == nil {
		t.Fatalf("no way on: %s", over.Body)
	}
	again := b.get(w.URL + html.UnescapeString(way[1]))
	if again.Away == nil || again.Away.Query().Get("code") == "" || again.Away.Query().Get("state") == "" {
		t.Errorf("once more: %d, at %s", again.Status, again.At)
	}
	w.wait(5 * time.Minute)
	if late := b.get(parked.At.String()); late.Status != http.StatusGone ||
		strings.Contains(string(late.Body), "/authorize?") {
		t.Errorf("after five minutes: %d, %s", late.Status, late.Body)
	}
}
