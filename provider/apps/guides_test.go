package apps

import (
	"encoding/base64"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates/texts"
)

// unfilled is a placeholder of ours that nobody filled in. Other people's
// templates have theirs, with a space behind the braces.
var unfilled = regexp.MustCompile(`\{\{-? ?(js|quote|shell|query|if|else|end)\b|\{\{-? ?\.`)

func TestEveryGuideHasTheAppsOwnValuesForEveryTypeItFits(t *testing.T) {
	for _, g := range allGuides() {
		for _, clientType := range g.types {
			c := storage.Client{
				ID: "the-client-id", Type: clientType, Profile: storage.ProfileStandard,
				Scopes: []string{scope.OpenID, scope.Email, scope.Groups, scope.DataRead},
			}
			if clientType != storage.ClientService {
				c.RedirectURIs = []string{"https://its.example.test/o'clock?a=$(b)" + g.suffix}
			}
			blocks, err := g.blocks(c, "https://id.example.test")
			if err != nil || len(blocks) == 0 {
				t.Fatalf("%s for %s: %d blocks, %v", g.slug, clientType, len(blocks), err)
			}
			var whole strings.Builder
			for i, b := range blocks {
				if b.Where.Empty() || b.Text == "" || b.ID != fmt.Sprintf("%s-%d", g.slug, i+1) {
					t.Errorf("%s for %s: block %+v", g.slug, clientType, b)
				}
				whole.WriteString(b.Text + "\n")
			}
			text := whole.String()
			if !strings.Contains(text, "the-client-id") || !strings.Contains(text, "https://id.example.test") ||
				strings.Contains(text, "<no value>") || unfilled.MatchString(text) {
				t.Errorf("%s for %s:\n%s", g.slug, clientType, text)
			}
			if c.Public() && strings.Contains(text, "YOUR_CLIENT_SECRET") {
				t.Errorf("%s for %s wants a secret:\n%s", g.slug, clientType, text)
			}
		}
	}
}

// The libraries, set as the guides have it, send a secret or nothing, ask at authorize and
// hold bearer tokens: an app that has to do more would be refused with each of them.
//
// Rule: PORTAL-12
func TestNoGuideIsOfferedThatTheAppWouldBeRefusedWith(t *testing.T) {
	for _, kind := range []storage.ClientType{storage.ClientWeb, storage.ClientSPA, storage.ClientService} {
		usual := storage.Client{ID: "x", Type: kind, Profile: storage.ProfileStandard}
		inBody := usual
		inBody.AuthMethod = storage.AuthSecretInBody
		if len(guideLinks(usual, "/apps/x")) == 0 || !usual.Public() && len(guideLinks(inBody, "/apps/x")) == 0 {
			t.Errorf("%s: no guide", kind)
		}
		for name, security := range map[string]storage.ClientSecurity{
			"keys": {AuthMethod: storage.AuthPrivateKey}, "a certificate": {AuthMethod: storage.AuthCertificate},
			"pushed requests": {RequirePushed: true}, "signed requests": {RequireSigned: true},
			"proofs": {ProofNeeded: true}, "a certificate for its tokens": {CertificateNeeded: true},
		} {
			c := usual
			c.ClientSecurity = security
			if c.AuthMethod != "" && usual.Public() {
				continue
			}
			if links := guideLinks(c, "/apps/x"); len(links) > 0 {
				t.Errorf("%s with %s: %v", kind, name, links)
			}
		}
	}
}

// An app that has to send a code_challenge is shown what does: by a setting of the guide, or by itself as JupyterHub
// and Synapse, which read in discovery that it counts.
//
// Rule: PORTAL-12
func TestAnAppThatNeedsPKCEIsShownNoGuideWithoutIt(t *testing.T) {
	usual := storage.Client{ID: "x", Type: storage.ClientWeb, Profile: storage.ProfileStandard}
	strict := usual
	strict.RequirePKCE = true
	for _, g := range allGuides() {
		blocks, err := g.blocks(usual, "https://id.example.test")
		text := strings.ToLower(fmt.Sprint(blocks))
		sends := slices.Contains([]string{"jupyterhub", "synapse"}, g.slug) || strings.Contains(text, "pkce") ||
			strings.Contains(text, "challenge")
		if err != nil || g.fits(strict) != (g.fits(usual) && sends) {
			t.Errorf("%s: %v, sends one: %v, is shown: %v", g.slug, err, sends, g.fits(strict))
		}
	}
}

// Spring takes RS256 where nothing else is set, and Django what its setting names.
//
// Rule: PORTAL-12
func TestAnAppWithAnotherAlgorithmIsShownNoGuideThatWantsRS256(t *testing.T) {
	app := storage.Client{ID: "x", Type: storage.ClientWeb, Profile: storage.ProfileStandard}
	for _, g := range allGuides() {
		for algorithm, takes := range map[string]bool{"": true, "RS256": true,
			"ES256": !slices.Contains([]string{"spring", "django"}, g.slug)} {
			app.IDTokenAlg = algorithm
			if want := takes && slices.Contains(g.types, app.Type); g.fits(app) != want {
				t.Errorf("%s for %q: %v", g.slug, algorithm, !want)
			}
		}
	}
}

// What has to be replaced can be found by its name alone.
//
// Rule: PORTAL-19
func TestWhereTheSecretBelongsIsNoPartOfAnotherName(t *testing.T) {
	alone := regexp.MustCompile(`(?:^|[^A-Z_])YOUR_CLIENT_SECRET(?:[^A-Z_]|$)`)
	for _, g := range allGuides() {
		c := storage.Client{ID: "the-client-id", Type: g.types[0], Profile: storage.ProfileStandard,
			Scopes: []string{scope.OpenID}}
		blocks, err := g.blocks(c, "https://id.example.test")
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range blocks {
			if named := strings.Count(b.Text, "YOUR_CLIENT_SECRET"); named != len(alone.FindAllString(b.Text, -1)) {
				t.Errorf("%s:\n%s", g.slug, b.Text)
			}
		}
	}
}

func TestAGuideSaysWhatIsMissing(t *testing.T) {
	all := allGuides()
	named := func(slug string) guide {
		return all[slices.IndexFunc(all, func(g guide) bool { return g.slug == slug })]
	}
	grafana := named("grafana")
	bare := storage.Client{Type: storage.ClientWeb, Profile: storage.ProfilePlatform}
	if missing := grafana.missing(bare); len(missing) != 3 {
		t.Errorf("%q", missing)
	}
	ready := storage.Client{
		Type: storage.ClientWeb, Profile: storage.ProfileStandard,
		RedirectURIs: []string{"https://grafana.its.example.test/login/generic_oauth"},
		Scopes:       []string{scope.OpenID, scope.Email},
	}
	if missing := grafana.missing(ready); len(missing) != 0 {
		t.Errorf("%q", missing)
	}
	apache := named("apache")
	if missing := apache.missing(ready); len(missing) != 1 || missing[0].Key != "apps.guide.post-logout" {
		t.Errorf("nowhere to go after signing out: %q", missing)
	}
	ready.PostLogoutRedirectURIs = []string{"https://its.example.test/bye"}
	if missing := apache.missing(ready); len(missing) != 0 {
		t.Errorf("%q", missing)
	}
}

func TestTextsAreQuotedForTheirLanguage(t *testing.T) {
	double, err := doubleQuoted(`a"b\c<&>`)
	for got, want := range map[string]string{
		shell("plain-1.2/x"): "plain-1.2/x", shell("it's $(x)"): `'it'\''s $(x)'`, shell(""): "''",
		singleQuoted(`it's \n`): `'it\'s \\n'`, double: `"a\"b\\c<&>"`,
	} {
		if got != want || err != nil {
			t.Errorf("%s, want %s (%v)", got, want, err)
		}
	}
}

// Rule: PORTAL-11
func TestATicketIsGoodForItsAppAndItsTimeAlone(t *testing.T) {
	source, clock := ambient.Fixed(time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC), 1)
	ring, err := sealing.New([]byte(strings.Repeat("k", 32)), nil, source)
	if err != nil {
		t.Fatal(err)
	}
	tickets := NewTickets(ring, source, "https://id.example.test")
	made, address, err := tickets.issue("c1", "U1", false)
	if err != nil {
		t.Fatal(err)
	}
	sealed := strings.TrimPrefix(address, tickets.base)
	opened, good := tickets.open(sealed)
	if !good || opened != made || tickets.address(sealed) != address {
		t.Errorf("%+v, %v", opened, good)
	}
	box, err := base64.RawURLEncoding.DecodeString(sealed)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(box), made.Verifier) {
		t.Error("the verifier can be read")
	}
	for address, want := range map[string]bool{
		address: true, address + "x": false, address + "&a=b": false, tickets.base: false, tickets.base + "AAAA": false,
		"https://evil.example/apps/try/callback?ticket=" + sealed: false,
		strings.Replace(address, "https://", "https://x@", 1):     false,
	} {
		if _, got := tickets.Stands("c1", address); got != want {
			t.Errorf("%s: %v", address, got)
		}
	}
	if ours, stands := tickets.Stands("c2", address); !ours || stands {
		t.Error("it stands for another app")
	}
	clock.Advance(ticketLife)
	if ours, stands := tickets.Stands("c1", address); !ours || stands {
		t.Error("it outlives its time")
	}
}

func TestACallbackAddsNoLineToSettings(t *testing.T) {
	lines := func(g guide, callback string) int {
		c := storage.Client{ID: "id", Type: g.types[0], Profile: storage.ProfileStandard, Scopes: []string{scope.OpenID},
			RedirectURIs: []string{callback + g.suffix}}
		blocks, err := g.blocks(c, "https://id.example.test")
		if err != nil {
			t.Fatal(err)
		}
		whole := ""
		for _, b := range blocks {
			whole += fmt.Sprint(b.Where) + "\n" + b.Text + "\n"
		}
		return strings.Count(whole, "\n")
	}
	for _, g := range allGuides() {
		plain, hostile := lines(g, "https://app.example.test/a/b"),
			lines(g, "https://app.example.test/a%3E%0AInclude%20x%0A%23/b")
		if plain != hostile {
			t.Errorf("%s: %d lines, and %d with line ends in the callback", g.slug, plain, hostile)
		}
	}
}

// Rule: LANG-4
func TestGuidesAreCalledAndIntroducedInTheLanguageOfThePage(t *testing.T) {
	german, english := texts.New().Find("de"), regexp.MustCompile(`\b(and|the|its|account)\b`)
	for _, g := range allGuides() {
		if said := german.Say(g.heading()) + ": " + german.Say(g.lead); english.MatchString(said) {
			t.Errorf("%s is introduced by %q", g.slug, said)
		}
	}
}
