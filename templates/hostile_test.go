package templates_test

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/portico-id/portico/templates"
)

// hostile is text that would leave its place if it were not escaped, in every
// way of leaving it: attribute, element, line, direction of writing.
func hostile() []string {
	return []string{
		`"><script>alert(1)</script>`,
		`' onfocus='alert(1)' x='`,
		"a\r\nSet-Cookie: x=y\r\n\r\n<b>",
		"\u202egro.live\u202c",
		"🏛️ café 日本",
		"</title></main><style>*{display:none}</style>",
		"{{.}}<!-- --><![CDATA[",
		strings.Repeat("W", 5000),
	}
}

// fill sets every text of a page's struct, nested ones too, to text. Addresses
// of forms and links are ours and are left out; TestScriptAddresses… has them.
func fill(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Struct:
		if form, isForm := v.Addr().Interface().(*templates.Form); isForm {
			*form = everyInput()
		}
		for i := range v.NumField() {
			if v.Type().Field(i).Name == "Kind" || v.Type().Field(i).Name == "Inputs" && v.Field(i).Len() > 0 {
				fillEach(v.Field(i), text)
				continue
			}
			if name := v.Type().Field(i).Name; name != "Action" && !strings.HasSuffix(name, "URL") &&
				!strings.HasSuffix(name, "Action") {
				fill(v.Field(i), text)
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), text)
	}
}

// everyInput is a form with a field of each kind.
func everyInput() templates.Form {
	var form templates.Form
	for _, kind := range []templates.InputKind{
		templates.InputText, templates.InputEmail, templates.InputPassword, templates.InputLines,
		templates.InputChoice, templates.InputChoices, templates.InputFlag, templates.InputFile,
	} {
		form.Inputs = append(form.Inputs, templates.Input{Kind: kind})
	}
	return form
}

// fillEach fills the members of a slice, which stay as many.
func fillEach(v reflect.Value, text string) {
	if v.Kind() != reflect.Slice {
		return
	}
	for i := range v.Len() {
		fill(v.Index(i), text)
	}
}

// filled renders every kind of page with the text in each of its fields.
func filled(t *testing.T, pages *templates.Pages, text string) map[string]string {
	t.Helper()
	out := map[string]string{}
	render := func(name string, page any, write func(io.Writer) error) {
		fill(reflect.ValueOf(page).Elem(), text)
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out[name] = b.String()
	}
	var login templates.LoginPage
	render("login", &login, func(w io.Writer) error { return pages.Login(w, login) })
	var consent templates.ConsentPage
	render("consent", &consent, func(w io.Writer) error { return pages.Consent(w, consent) })
	var device templates.DevicePage
	render("device", &device, func(w io.Writer) error { return pages.Device(w, device) })
	var barred templates.BarredPage
	render("barred", &barred, func(w io.Writer) error { return pages.Barred(w, barred) })
	var failure templates.ErrorPage
	render("error", &failure, func(w io.Writer) error { return pages.Error(w, failure) })
	formPost := templates.FormPostPage{Action: "https://app.example.test/cb"}
	render("form-post", &formPost, func(w io.Writer) error { return pages.FormPost(w, formPost) })
	var signOut templates.SignOutPage
	render("sign-out", &signOut, func(w io.Writer) error { return pages.SignOut(w, signOut) })
	var signedOut templates.SignedOutPage
	render("signed-out", &signedOut, func(w io.Writer) error { return pages.SignedOut(w, signedOut) })
	home := templates.HomePage{Admin: true}
	render("home", &home, func(w io.Writer) error { return pages.Home(w, home) })
	for name, desk := range deskPages(pages) {
		render(name, desk.page, desk.write)
	}
	return out
}

// skeleton returns the tags of a page with their attributes' names, in order,
// and nothing of its text.
func skeleton(t *testing.T, page string) string {
	t.Helper()
	var b strings.Builder
	for n := range parse(t, page).Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		b.WriteString("<" + n.Data)
		for _, a := range n.Attr {
			b.WriteString(" " + a.Key)
		}
		b.WriteString(">\n")
	}
	return b.String()
}

// Rules: PAGE-3, PORTAL-13
func TestHostileTextAddsNoTagAndNoAttribute(t *testing.T) {
	pages := newPages(t)
	harmless := filled(t, pages, "plain words")
	for i, text := range hostile() {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			for name, page := range filled(t, pages, text) {
				if got, want := skeleton(t, page), skeleton(t, harmless[name]); got != want {
					t.Errorf("%s: the text changed the page:\n%s\nwant\n%s", name, got, want)
				}
			}
		})
	}
}

func TestTextOfOthersIsIsolatedFromTheDirectionAroundIt(t *testing.T) {
	const override = "\u202egro.live"
	for name, page := range filled(t, newPages(t), override) {
		if name != "login" && name != "consent" && name != "home" && name != "sign-out" && name != "signed-out" &&
			name != "apps" && name != "app" {
			continue // nothing on the other pages comes from clients or people
		}
		if !strings.Contains(page, "<bdi>"+override+"</bdi>") {
			t.Errorf("%s: a name can turn the words after it around", name)
		}
	}
}

func TestScriptAddressesAreNotFollowed(t *testing.T) {
	pages := newPages(t)
	const script = "javascript:alert(1)"
	for name, write := range map[string]func(io.Writer) error{
		"login": func(w io.Writer) error { return pages.Login(w, templates.LoginPage{Action: script}) },
		"consent": func(w io.Writer) error {
			return pages.Consent(w, templates.ConsentPage{Action: script, SwitchURL: script})
		},
		"sign-out": func(w io.Writer) error { return pages.SignOut(w, templates.SignOutPage{Action: script}) },
		"signed-out": func(w io.Writer) error {
			return pages.SignedOut(w, templates.SignedOutPage{LeaveURL: script, StayURL: script})
		},
		"home": func(w io.Writer) error {
			return pages.Home(w, templates.HomePage{SignOutAction: script, DiscoveryURL: script})
		},
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(b.String(), script) {
			t.Errorf("%s: an address that is a script is on the page", name)
		}
	}
}
