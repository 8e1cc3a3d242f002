package e2e

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// fillForm finds the form that is sent to the path with the fields, by itself or by one of
// its buttons, fills it in as the test would, and returns where its button is. The page is marked, so that
// the next one is told apart.
const fillForm = `((path, values, file, picture) => {
	const leads = e => e.hasAttribute("formaction") && e.formMethod == "post" && new URL(e.formAction).pathname == path;
	const form = [...document.forms].find(f => (f.method == "post" && new URL(f.action).pathname == path || [...f.elements].some(leads)) &&
		Object.keys(values).every(name => [...f.elements].some(e => e.name == name && (e.type != "submit" || e.value == values[name]))));
	if (!form) return null;
	for (const e of form.elements) {
		if (e.type == "radio" || e.type == "checkbox") e.checked = values[e.name] == e.value;
		else if (e.type == "file") {
			const bytes = Uint8Array.from(atob(picture), c => c.charCodeAt(0));
			const files = new DataTransfer();
			files.items.add(new File([bytes], "logo.png", {type: "image/png"}));
			e.files = files.files;
		} else if (e.name in values && e.type != "submit") e.value = values[e.name];
	}
	window.formIsHere = true;
	return ` + middle + `([...form.elements].find(leads) || form.querySelector("button"));
})`

// middle brings a button into sight and returns where it is.
const middle = `(button => {
	button.scrollIntoView({block: "center", behavior: "instant"});
	const box = button.getClientRects()[0]; // a link may go on on the next line
	return {X: box.x + box.width/2, Y: box.y + box.height/2};
})`

// clicksTwice fills a form in and clicks its button twice on a line that takes 600
// ms. What it made must be seen then. It is false when the form comes back or a
// failure is shown.
func (b *tab) clicksTwice(form pageForm) bool {
	b.Helper()
	b.open(form.by.URL + form.page)
	values := map[string]string{}
	for name := range form.fields {
		values[name] = form.fields.Get(name)
	}
	told, err := json.Marshal([]any{form.at.EscapedPath(), values, form.file,
		base64.StdEncoding.EncodeToString(form.content())})
	if err != nil {
		b.Fatal(err)
	}
	at, err := chromedp.Run(b.ctx, chromedp.Evaluate[*spot](fillForm+"(..."+string(told)+")"))
	if err != nil || at == nil {
		b.Fatalf("no form %s on %s: %v", form.key, form.page, err)
	}
	b.twice(*at)
	if saves(form.key) { // the page stays
		b.latency(0)
		return true
	}
	b.nextPage(form.key)
	b.latency(0)
	if reveals(form.key) {
		b.seesWhatWasMade(form)
	}
	failed, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](`[...document.querySelectorAll("#form-errors, .error-page, #error-page, #sending .wrong")].map(e => e.textContent).join()`))
	if err != nil {
		b.Fatal(err)
	}
	if out, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](noticeIsOut)); err != nil || out {
		b.Errorf("%s: the notice is not on the screen, %v", form.key, err)
	}
	if failed != "" {
		b.Logf("%s: %s", form.key, failed)
	}
	return failed == ""
}

// continues lets the tab go on with the sign-in that the visitor has.
func (b *tab) continues(v *visitor) {
	b.Helper()
	var cookies []*network.CookieParam
	for _, c := range v.http.Jar.Cookies(must(url.Parse(v.URL))) {
		cookies = append(cookies, &network.CookieParam{Name: c.Name, Value: c.Value, URL: v.URL})
	}
	if _, err := chromedp.Call(b.ctx, network.SetCookies, network.SetCookiesParams{Cookies: cookies}); err != nil {
		b.Fatal(err)
	}
}

// handsOver gives the visitor the sign-in that the tab has by now.
func (b *tab) handsOver(v *visitor) {
	b.Helper()
	got, err := chromedp.Call(b.ctx, network.GetCookies, network.GetCookiesParams{URLs: []string{v.URL}})
	if err != nil {
		b.Fatal(err)
	}
	var cookies []*http.Cookie
	for _, c := range got.Cookies {
		cookies = append(cookies, &http.Cookie{Name: c.Name, Value: c.Value, Path: "/"})
	}
	v.http.Jar.SetCookies(must(url.Parse(v.URL)), cookies)
}

// twice clicks two times while the line is slow.
func (b *tab) twice(at spot) {
	b.Helper()
	b.latency(600)
	b.act("clicking twice", chromedp.MouseClickXY(at.X, at.Y), chromedp.Sleep(150*time.Millisecond),
		chromedp.MouseClickXY(at.X, at.Y))
}

// spot is a place on a page.
type spot struct{ X, Y float64 }

// clickTwice is click, done twice.
func (b *tab) clickTwice(id string) {
	b.Helper()
	b.await(id)
	b.nextPage(id) // with its style, which moves things
	at, err := chromedp.Run(b.ctx, chromedp.Evaluate[spot](middle+`(document.getElementById("`+id+`"))`))
	if err != nil {
		b.Fatal(err)
	}
	b.twice(at)
}

// seesWhatWasMade fails when the secret, link or result that the form made is not
// on the page and in sight.
func (b *tab) seesWhatWasMade(form pageForm) {
	b.Helper()
	seen, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](`[...document.querySelectorAll("[id^=revealed-], [id^=try-]")]
		.filter(e => e.checkVisibility() && e.getBoundingClientRect().height > 0).map(e => e.textContent).join("")`))
	if err != nil || len(seen) < 20 {
		b.Errorf("%s, clicked twice, shows %q of what it made: %v\n%s", form.key, seen, err, b.shows())
	}
}

// noticeIsOut is true where a notice of what was done is not in sight.
const noticeIsOut = `(() => {
	const at = document.getElementById("done")?.getBoundingClientRect();
	return at !== undefined && (at.top < 0 || at.bottom > innerHeight || at.height == 0);
})()`

// nextPage waits until a page with a marked form is gone and the next is there, or the page
// says why what it sent was refused.
func (b *tab) nextPage(key string) {
	b.Helper()
	for end := time.Now().Add(patience / 2); ; time.Sleep(50 * time.Millisecond) {
		there, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](`!window.formIsHere && document.readyState == "complete" || !!document.querySelector("#sending .wrong")`))
		if err == nil && there {
			return
		}
		if time.Now().After(end) {
			b.Fatalf("%s leads nowhere: %v\n%s", key, err, b.shows())
		}
	}
}

// latency makes each answer wait for so many milliseconds.
func (b *tab) latency(ms float64) {
	b.Helper()
	rules := []*network.Conditions{}
	if ms > 0 {
		rules = []*network.Conditions{{Latency: ms, DownloadThroughput: -1, UploadThroughput: -1}}
	}
	for _, err := range []error{
		errorOf(chromedp.Call(b.ctx, network.Enable, network.EnableParams{})),
		errorOf(chromedp.Call(b.ctx, network.EmulateNetworkConditionsByRule,
			network.EmulateNetworkConditionsByRuleParams{MatchedNetworkConditions: rules})),
	} {
		if err != nil {
			b.Fatal(fmt.Errorf("slowing the line: %w", err))
		}
	}
}

func errorOf[T any](_ T, err error) error { return err }
