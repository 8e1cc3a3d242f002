package apps

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"github.com/DataDog/datadog-agent/pkg/template/text"
	"io"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/provider/clientprofile"
	"github.com/portico-id/portico/provider/redirecturi"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// The guides are texts with the app's own values in them. A line that starts
// with "=== " begins a block and says where it belongs.
//
//go:embed guides/*.txt
var guideFiles embed.FS

// guide says how to use an app with one library or service.
type guide struct {
	slug, name string
	title      texts.Text // of one about no product, which has its name in every language
	lead       texts.Text
	types      []storage.ClientType // that it fits
	standard   bool                 // wants plain OpenID Connect
	callback   string               // what the service's callback URL looks like; empty: the app's own
	suffix     string               // how a callback URL of it ends
	exact      bool                 // the callback is what the service always sends
	needs      []string             // scopes it can't do without
	bye        string               // what an address after signing out looks like; empty: it uses none
	noPKCE     bool                 // sends no code_challenge
	rs256      bool                 // takes ID tokens of this algorithm alone
}

var (
	everyType  = []storage.ClientType{storage.ClientWeb, storage.ClientSPA, storage.ClientNative, storage.ClientService}
	notBrowser = []storage.ClientType{storage.ClientWeb, storage.ClientNative, storage.ClientService}
	withSecret = []storage.ClientType{storage.ClientWeb}
	onDevices  = []storage.ClientType{storage.ClientNative}
	emailScope = []string{scope.OpenID, scope.Email}
	nameScopes = []string{scope.OpenID, scope.Profile, scope.Email}
)

// allGuides returns the guides in the order in which pages list them.
func allGuides() []guide {
	return []guide{
		{slug: "curl", name: "curl", lead: texts.Say("guides.curl"), types: everyType},
		{slug: "go", name: "Go", lead: texts.Say("guides.go"), types: notBrowser},
		{slug: "node", name: "Node.js", lead: texts.Say("guides.with", "Library", "openid-client 6"), types: notBrowser},
		{slug: "python", name: "Python", lead: texts.Say("guides.with", "Library", "Authlib 1, Requests"),
			types: notBrowser},
		{slug: "oidc-client-ts", name: "oidc-client-ts", lead: texts.Say("guides.pages"),
			types: []storage.ClientType{storage.ClientSPA},
			bye:   "https://app.example.com/bye", needs: []string{scope.OpenID}},
		{slug: "android", name: "Android", lead: texts.Say("guides.appauth"), types: onDevices,
			callback: "com.example.app:/callback", needs: []string{scope.OpenID}},
		{slug: "ios", name: "iOS, macOS", lead: texts.Say("guides.appauth"), types: onDevices,
			callback: "com.example.app:/callback", needs: []string{scope.OpenID}},
		{slug: "oidc-agent", name: "oidc-agent", lead: texts.Say("guides.oidc-agent"), types: onDevices, standard: true,
			callback: "http://localhost:4242", exact: true, needs: append(slices.Clone(nameScopes), scope.OfflineAccess)},
		{slug: "service-account", title: texts.Say("guides.account"), lead: texts.Say("guides.service-account"),
			types: []storage.ClientType{storage.ClientService}},
		{slug: "spring", name: "Spring Boot", lead: texts.Say("guides.spring"), types: withSecret, standard: true,
			noPKCE: true, rs256: true, callback: "https://app.example.com/login/oauth2/code/portico", suffix: "/login/oauth2/code/portico",
			needs: nameScopes, bye: "https://app.example.com/bye"},
		{slug: "django", name: "Django", lead: texts.Say("guides.with", "Library", "mozilla-django-oidc 5"),
			types: withSecret, standard: true, rs256: true,
			callback: "https://app.example.com/oidc/callback/", suffix: "/oidc/callback/", needs: nameScopes,
			bye: "https://app.example.com/bye"},
		{slug: "grafana", name: "Grafana", lead: texts.Say("guides.grafana"), types: withSecret, standard: true,
			callback: "https://grafana.example.com/login/generic_oauth", suffix: "/login/generic_oauth", needs: emailScope},
		{slug: "gitea", name: "Gitea", lead: texts.Say("guides.gitea"), types: withSecret, standard: true, noPKCE: true,
			callback: "https://gitea.example.com/user/oauth2/Portico/callback", suffix: "/callback", needs: emailScope},
		{slug: "oauth2-proxy", name: "oauth2-proxy", lead: texts.Say("guides.oauth2-proxy"),
			types: withSecret, standard: true,
			callback: "https://app.example.com/oauth2/callback", suffix: "/oauth2/callback", needs: emailScope},
		{slug: "apache", name: "Apache", lead: texts.Say("guides.apache"), types: withSecret, standard: true,
			callback: "https://app.example.com/protected/callback", needs: emailScope, bye: "https://app.example.com/bye"},
		{slug: "kubelogin", name: "kubelogin", lead: texts.Say("guides.kubelogin"),
			types: []storage.ClientType{storage.ClientNative}, standard: true, callback: "http://localhost:8000",
			exact: true, needs: emailScope},
		{slug: "minio", name: "MinIO", lead: texts.Say("guides.minio"), types: withSecret, standard: true, noPKCE: true,
			callback: "https://minio.example.com/oauth_callback", suffix: "/oauth_callback", needs: []string{scope.OpenID}},
		{slug: "node-red", name: "Node-RED", lead: texts.Say("guides.node-red"), types: withSecret, standard: true,
			noPKCE: true, callback: "https://nodered.example.com/auth/strategy/callback", suffix: "/auth/strategy/callback",
			needs: nameScopes, bye: "https://nodered.example.com/"},
		{slug: "keycloak", name: "Keycloak", lead: texts.Say("guides.keycloak"), types: withSecret, standard: true,
			callback: "https://keycloak.example.com/realms/demo/broker/portico/endpoint",
			suffix:   "/broker/portico/endpoint", needs: nameScopes,
			bye: "https://keycloak.example.com/realms/demo/broker/portico/endpoint/logout_response"},
		{slug: "jupyterhub", name: "JupyterHub", lead: texts.Say("guides.jupyterhub"), types: withSecret, standard: true,
			callback: "https://jupyterhub.example.com/hub/oauth_callback", suffix: "/hub/oauth_callback", needs: nameScopes,
			bye: "https://jupyterhub.example.com/"},
		{slug: "synapse", name: "Matrix", lead: texts.Say("guides.synapse"),
			types: withSecret, standard: true, callback: "https://matrix.example.com/_synapse/client/oidc/callback",
			suffix: "/_synapse/client/oidc/callback",
			needs:  nameScopes, bye: "https://matrix.example.com/_matrix/static/client/login/"},
	}
}

// fits reports whether the guide is for such an app: of its type, and a service
// that wants plain OpenID Connect only where the app speaks that.
func (g guide) fits(c storage.Client) bool {
	return slices.Contains(g.types, c.Type) && (!g.standard || c.Profile == storage.ProfileStandard) &&
		(!g.noPKCE || !clientprofile.PKCERequired(c)) && (!g.rs256 || cmp.Or(c.IDTokenAlg, "RS256") == "RS256") &&
		asGuidesHaveIt(c)
}

// asGuidesHaveIt reports whether the app does no more than all guides show: it sends a
// secret if it has one, asks at authorize, and holds bearer tokens.
func asGuidesHaveIt(c storage.Client) bool {
	return (c.Public() || c.BySecret()) && !c.RequirePushed && !c.RequireSigned && !c.ProofNeeded && !c.CertificateNeeded
}

// guideLinks leads to the guides that fit the client, below the path of its page.
func guideLinks(c storage.Client, path string) []templates.Link {
	var links []templates.Link
	for _, g := range allGuides() {
		if g.fits(c) {
			links = append(links, templates.Link{URL: guidePath(path, g.slug), Text: g.heading()})
		}
	}
	return links
}

func (g guide) heading() texts.Text {
	if g.name == "" {
		return g.title
	}
	return texts.Own(g.name)
}

func guidePath(path, slug string) string { return path + "/guides/" + slug }

// guide serves one guide of an app.
func (p *Portal) guide(w http.ResponseWriter, r *http.Request, v websession.Visit, c storage.Client) error {
	return p.guidePage(w, r, c, desk(r), appPath(c.ID))
}

// guide serves one guide of any app: one that was made on the command line is on
// nobody's list.
func (a *Admin) guide(w http.ResponseWriter, r *http.Request, v websession.Visit, c storage.Client) error {
	return a.portal.guidePage(w, r, c, adminDesk(r), adminAppPath(c.ID))
}

// guidePage shows the guide that the address names, for the app with its page at
// path.
func (p *Portal) guidePage(w http.ResponseWriter, r *http.Request, c storage.Client,
	desk templates.Desk, path string) error {
	slug, err := httpio.PathID(r, guideVariable)
	if err != nil {
		return err
	}
	all := allGuides()
	i := slices.IndexFunc(all, func(g guide) bool { return g.slug == slug && g.fits(c) })
	if i < 0 {
		return fault.New(fault.NotFound, "guide_not_found", "There is no such guide for an app of this type and profile.")
	}
	blocks, err := all[i].blocks(c, p.with.BaseURL)
	if err != nil {
		return err
	}
	page := templates.GuidePage{
		Desk: desk, Back: templates.Link{URL: path, Text: texts.Own(c.Name)}, Heading: all[i].heading(), Lead: all[i].lead,
		Guides: guideLinks(c, path), Here: guidePath(path, slug), Missing: all[i].missing(c), Blocks: blocks,
	}
	return p.with.Web.Send(w, http.StatusOK, func(out io.Writer) error { return p.with.Pages.Guide(out, page) })
}

// missing says what has to be changed at the app before the guide works.
func (g guide) missing(c storage.Client) []texts.Text {
	var all []texts.Text
	if g.callback != "" && g.redirect(c) == g.callback && !redirecturi.Match(c.RedirectURIs, g.callback, c.Type) {
		wanted := texts.Say("apps.guide.callback", "Service", g.name, "URL", g.callback)
		if g.exact {
			wanted = texts.Say("apps.guide.callback-exact", "Service", g.name, "URL", g.callback)
		}
		all = append(all, wanted)
	}
	if g.callback == "" && c.Type != storage.ClientService && len(c.RedirectURIs) == 0 {
		all = append(all, texts.Say("apps.guide.no-callback"))
	}
	if g.bye != "" && len(c.PostLogoutRedirectURIs) == 0 {
		all = append(all, texts.Say("apps.guide.post-logout", "Service", g.name, "URL", g.bye))
	}
	for _, name := range g.needs {
		if !slices.Contains(c.Scopes, name) {
			all = append(all, texts.Say("apps.guide.scope", "Scope", name, "Service", g.name))
		}
	}
	return all
}

// redirect is the callback URL that the guide shows: the registered one that
// fits it, else an example.
func (g guide) redirect(c storage.Client) string {
	if g.exact {
		return g.callback
	}
	for _, uri := range c.RedirectURIs {
		if u, err := url.Parse(uri); err == nil && strings.HasSuffix(u.Path, g.suffix) {
			return uri
		}
	}
	return cmp.Or(g.callback, "https://app.example.com/callback")
}

// guideValues are what a guide's text can name.
type guideValues struct {
	Issuer, ClientID   string
	Secret             string // where the secret belongs; empty: there is none
	Redirect           string
	RedirectScheme     string
	RedirectPath       string
	RedirectFolder     string // path that the callback lies in
	PostLogout         string
	Scopes             []string
	Scope              string
	ScopeList          string // with commas
	ScopesBeyondOpenID []string
	AppScopes          []string // without a person
	AppScope           string
	Groups             bool // registered for the scope groups
	Signs              bool // signs people in
	Insecure           bool // the issuer is plain http
	Verifier           string
	Challenge          string
}

func (g guide) values(c storage.Client, issuer string) guideValues {
	v := guideValues{
		Issuer: issuer, ClientID: c.ID, Redirect: g.redirect(c), Signs: c.Type != storage.ClientService,
		PostLogout: cmp.Or(append(slices.Clone(c.PostLogoutRedirectURIs), g.bye)...),
		Insecure:   strings.HasPrefix(issuer, "http:"), Groups: slices.Contains(c.Scopes, scope.Groups),
		// The example of RFC 7636, appendix B.
		Verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", Challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
	}
	if !c.Public() {
		v.Secret = "YOUR_CLIENT_SECRET" // no part of a setting's name
	}
	if u, err := url.Parse(v.Redirect); err == nil {
		v.RedirectScheme, v.RedirectPath = u.Scheme, u.EscapedPath() // decoded it could hold lines of its own
		v.RedirectFolder = path.Dir(v.RedirectPath)
	}
	for _, name := range c.Scopes {
		if !scope.NeedsUser(name) {
			v.AppScopes = append(v.AppScopes, name)
		}
		if slices.Contains([]string{scope.OpenID, scope.Profile, scope.Email, scope.Groups}, name) {
			v.Scopes = append(v.Scopes, name)
		}
	}
	if len(v.Scopes) == 0 {
		v.Scopes = c.Scopes
	}
	v.ScopesBeyondOpenID = slices.DeleteFunc(slices.Clone(v.Scopes), func(s string) bool { return s == scope.OpenID })
	v.Scope, v.ScopeList = scope.Format(v.Scopes), strings.Join(v.Scopes, ",")
	v.AppScope = scope.Format(v.AppScopes)
	return v
}

// blocks are the guide's texts with the client's values.
func (g guide) blocks(c storage.Client, issuer string) ([]templates.GuideBlock, error) {
	text, err := template.New(g.slug+".txt").Funcs(template.FuncMap{
		"shell": shell, "js": singleQuoted, "quote": doubleQuoted, "query": url.QueryEscape,
	}).ParseFS(guideFiles, "guides/"+g.slug+".txt")
	if err != nil {
		return nil, err
	}
	var whole bytes.Buffer
	if err := text.Execute(&whole, g.values(c, issuer)); err != nil {
		return nil, err
	}
	var blocks []templates.GuideBlock
	for part := range strings.SplitSeq("\n"+whole.String(), "\n=== ") {
		line, block, found := strings.Cut(part, "\n")
		if found && line != "" {
			where, err := where(line)
			if err != nil {
				return nil, err
			}
			id := fmt.Sprintf("%s-%d", g.slug, len(blocks)+1)
			blocks = append(blocks, templates.GuideBlock{ID: id, Where: where, Text: strings.TrimRight(block, "\n")})
		}
	}
	return blocks, nil
}

// shell quotes a text for a POSIX shell, unless it is plain.
func shell(s string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._/:=,@"
	if s != "" && strings.Trim(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// singleQuoted is a text for JavaScript and Python.
func singleQuoted(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`).Replace(s) + "'"
}

// doubleQuoted is a text for Go, TOML and Apache.
func doubleQuoted(s string) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(s)
	return strings.TrimRight(b.String(), "\n"), err
}
