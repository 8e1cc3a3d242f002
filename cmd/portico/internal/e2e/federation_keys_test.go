package e2e

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/portico-id/portico/internal/harness/ldaptest"
	"github.com/portico-id/portico/internal/harness/pgtest"
)

// fills types into the fields of a form, by the keyboard, and sends it.
func (h sitting) fills(form string, pairs ...string) {
	h.Helper()
	for i := 0; i+1 < len(pairs); i += 2 {
		h.types("field-"+pairs[i], pairs[i+1])
	}
	h.enters(form + "-submit")
}

// picks chooses the first option of a list that begins with the word.
func (h sitting) picks(field, word string) {
	h.Helper()
	h.reach("field-" + field)
	h.act("choosing", chromedp.KeyEvent(word))
	chosen, err := chromedp.Run(h.ctx, chromedp.Evaluate[string](`document.activeElement.selectedOptions[0].label`))
	if err != nil || !strings.HasPrefix(chosen, word) {
		h.Fatalf("%s: %q is chosen (%v)", word, chosen, err)
	}
}

// holds fails where the page does not say it.
func (h sitting) holds(words string) {
	h.Helper()
	if got := h.shows(); !strings.Contains(got, words) {
		h.Errorf("the page does not say %q: %s", words, got)
	}
}

// offAndOn switches something off, which is asked about, and on again, and deletes it.
func (h sitting) offAndOn(kind string) {
	h.Helper()
	h.enters("disable")
	h.enters("confirm-submit")
	h.enters("enable")
	h.enters("delete-" + kind)
	h.enters("confirm-submit")
	h.holds("deleted")
}

// Administrators look after providers, directories and connections in a window of 320
// pixels.
//
// Rules: FED-22, LDAP-17, CONNECTION-3
func TestWhatCompaniesHaveIsLookedAfterByTheKeyboard(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	slapd := ldaptest.Start(t, ldaptest.PersonLDIF("alice", password)+
		ldaptest.GroupLDIF("staff", ldaptest.PersonDN("alice")))
	s := start(t, pgtest.URL(t))
	s.person("admin@example.test", "--admin")
	h := sitting{newTab(t, browser, false), true} // these pages have no scripts
	h.look(look{"en", 320, "light"})
	h.open(s.URL + "/admin/users")
	h.signsIn("admin@example.test")
	h.provider(s)
	h.open(s.URL + "/admin/users")
	h.directory(slapd)
	h.open(s.URL + "/admin/users")
	h.connection()
	h.closes()
}

func (h sitting) provider(s *site) {
	h.Helper()
	h.enters("upstreams")
	h.types("field-id", "works")
	h.picks("preset", "Any")
	h.fills("upstream-form", "client_id", "nobody", "issuer", s.URL, "networks", "127.0.0.0/8",
		"secret", "hush-hush")
	h.enters("test-upstream")
	h.holds("invalid_client") // we are no client of our own
	h.fills("upstream-form", "name", "Works")
	h.holds("<bdi>Works</bdi>")
	h.offAndOn("upstream")
}

func (h sitting) directory(slapd *ldaptest.Slapd) {
	h.Helper()
	h.enters("directories")
	h.types("field-id", "works")
	h.picks("kind", "OpenLDAP")
	h.fills("directory-form", "name", "Works", "hosts", slapd.URL, "networks", "127.0.0.0/8", "bind_dn", ldaptest.Service,
		"secret", ldaptest.Password, "base", ldaptest.People, "group_base", ldaptest.Groups)
	h.fills("test-form", "person", "alice")
	h.holds("1 staff")
	h.enters("continue")
	h.enters("sync-form-submit")
	h.fills("directory-form", "group_prefix", "works ")
	h.offAndOn("directory")
}

func (h sitting) connection() {
	h.Helper()
	h.enters("connections")
	h.fills("connection-form", "name", "Company", "domains", "company.test")
	h.fills("token-form", "label", "first")
	h.holds("scim_")
	h.enters("continue")
	h.follow(`#tokens a[id^="end-"]`)
	h.enters("confirm-submit")
	h.fills("connection-form", "group_prefix", "company ")
	h.offAndOn("connection")
}
