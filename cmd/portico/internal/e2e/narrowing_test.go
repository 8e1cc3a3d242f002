package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/harness/ldaptest"
)

// dock is a person, an app that acts for them and for itself, and a service
// account, with everything that was issued to them and carries a right. A
// colleague has a right in the folder alone, and manages the app; an internal app
// manages the service account.
type dock struct {
	*site
	project, hub, folder string
	object               string // path of a file
	person, colleague    *visitor
	userID, colleagueID  string
	app, manager         client
	machine              *robot

	access, refreshing, twoLegged, account string
	code, hybrid, device, assertion        string
	put, get                               string // signed addresses

	colleagues, colleaguesGet, managing string
	tryOut                              string // path that a try-out comes back to

	email string
	errand
	elsewhere
	employed
	assistance
}

const appScopes = "openid email data:read data:write data:create"

func newDock(s *site, email string) *dock {
	s.Helper()
	return dockOf(s, email, func(*dock) *visitor { return s.signedIn(email) })
}

// dockOf is newDock for a person who signs in in some way.
func dockOf(s *site, email string, arrives func(*dock) *visitor) *dock {
	s.Helper()
	d := &dock{site: s, email: email, userID: s.person(email), colleagueID: s.person("colleague-of-" + email),
		machine: s.robot()}
	if strings.HasSuffix(email, ofDirectory) { // they sign in by it
		s.command("", "directory", "connect", "works", email, email)
	}
	d.addressed()
	d.person, d.colleague = arrives(d), s.signedIn("colleague-of-"+email)
	id, shown := d.person.registered("web", "name", "App of "+email)
	d.app = client{ID: id, Secret: inner(shown.Body, "<", `id="revealed-client-secret"`, ">"),
		RedirectURIs: []string{callback}}
	s.command("", "client", "update", id, "--profile", "standard", "--devices", "--scope", appScopes)
	d.person.invites(id, d.colleague)
	var made struct{ ID string }
	s.commandJSON(&made, "", "hub", "create", "--name", "Works of "+email)
	d.hub = made.ID
	s.commandJSON(&made, "", "project", "create", "--hub", d.hub, "--name", "Tower")
	d.project = made.ID
	s.command("", "hub", "provision", d.app.ID, "--hub", d.hub, "--level", "control")
	s.command("", "member", "add", "--hub", d.hub, "--user", email)
	s.command("", "member", "add", "--project", d.project, "--user", email, "--role", "admin")
	tokens := d.person.tokens(d.app, "scope", appScopes)
	d.access, d.refreshing = tokens.text("access_token"), tokens.text("refresh_token")
	d.twoLegged = s.token(d.app, "grant_type", "client_credentials", "scope", "data:read").text("access_token")
	d.account = d.machine.exchange(d.machine.sign("")).text("access_token")
	d.code, d.assertion = d.person.code(d.app, "scope", appScopes), d.machine.sign("")
	p, err := d.person.through(d.person.open(s.authorizeURL(d.app, "scope", appScopes, "response_type",
		"code id_token", "nonce", "n")))
	s.must(err)
	answer, err := url.ParseQuery(p.Away.Fragment)
	s.must(err)
	d.hybrid = answer.Get("code")
	d.device = d.person.allowsDevice(d.app, appScopes)
	d.load()
	d.besides()
	d.sends()
	return d
}

// allowsDevice is the code of a device of the app that the person has allowed.
func (v *visitor) allowsDevice(app client, scopes string, more ...string) string {
	v.Helper()
	begun := v.send("/authentication/v2/device_authorization", app, append(more, "scope", scopes)...)
	v.enters(begun.text("user_code"))
	return begun.text("device_code")
}

// enters types the code of a device, and allows it what it asks for.
func (v *visitor) enters(code string) {
	v.Helper()
	p, err := v.open(v.URL + "/device?user_code=" + code)
	v.must(err)
	p, err = v.submit(p, "device-form", form("user_code", code))
	v.must(err)
	_, err = v.submit(p, "consent-form", form("decision", "allow"))
	v.must(err)
}

const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

// besides is what others have: the colleague by the folder alone, and the
// internal app by its flag.
func (d *dock) besides() {
	d.Helper()
	d.command("", "grant", "set", "--project", d.project, "--folder", d.folder, "--user",
		d.colleague.email, "--level", "edit")
	d.colleagues = d.colleague.tokens(d.app, "scope", appScopes).text("access_token")
	d.colleaguesGet = d.address(d.colleagues)
	begun := d.colleague.press("/apps/"+d.app.ID+"/try", "scopes.openid", "on", "scopes.data:read", "on")
	back, err := url.Parse(d.colleague.fetch("GET",
		strings.TrimPrefix(begun.Header.Get("Location"), d.URL)).Header.Get("Location"))
	d.must(err)
	d.tryOut = back.RequestURI()
	d.manager = d.client("--type", "service", "--internal", "--scope", "application:service_account:read")
	d.managing = d.token(d.manager, "grant_type", "client_credentials").text("access_token")
}

// tries reports whether a try-out that comes back to a server shows a token that
// reads.
func (d *dock) tries(at *site) bool {
	there := *d.colleague
	there.site = at // on the same host, so that the cookie is good
	got := there.fetch("GET", d.tryOut)
	if to := got.Header.Get("Location"); strings.HasPrefix(to, "/shown/") {
		got = there.fetch("GET", to)
	}
	return strings.Contains(got.Body, `id="try-access_token"`) &&
		strings.Contains(inner(got.Body, "</code>", `id="try-access_token"`), "data:read")
}

// manages reports whether the internal app reaches the service account of another.
func (d *dock) manages(at *site) bool {
	path := "/authentication/v2/service-accounts/" + d.machine.AccountID + "?clientId=" + d.machine.owner.ID
	return at.bearing(d.managing, "GET", path, "").Status == http.StatusOK
}

// load stores a file, and asks for an address to read it and for one to write
// another.
func (d *dock) load() {
	d.Helper()
	ask := func(method, path, body string, into any) {
		d.Helper()
		got := d.bearing(d.access, method, path, body)
		if got.Status > 299 {
			d.Fatalf("%s %s: %d %s", method, path, got.Status, got.Body)
		}
		d.must(json.Unmarshal([]byte(got.Body), into))
	}
	var top struct{ Data []struct{ ID string } }
	ask("GET", "/project/v1/hubs/"+d.hub+"/projects/"+d.project+"/topFolders", "", &top)
	d.folder = top.Data[0].ID
	upload := func() (path, key string) {
		var made struct{ Data struct{ ID string } }
		ask("POST", "/data/v1/projects/"+d.project+"/storage",
			`{"data":{"type":"objects","attributes":{"name":"a.txt"},"relationships":{"target":{"data":{"type":"folders","id":"`+d.folder+`"}}}}}`, &made)
		bucket, object, _ := strings.Cut(after(made.Data.ID, "os.object:"), "/")
		path = "/oss/v2/buckets/" + bucket + "/objects/" + url.PathEscape(object)
		var begun addresses
		ask("GET", path+"/signeds3upload?minutesExpiration=60", "", &begun)
		d.put = begun.URLs[0]
		return path, begun.UploadKey
	}
	path, key := upload()
	if !d.takes("PUT", d.put, d.site) {
		d.Fatal("a fresh address takes no bytes")
	}
	var done any
	ask("POST", path+"/signeds3upload", `{"uploadKey":"`+key+`"}`, &done)
	d.object = path
	d.get = d.address(d.access)
	upload()
}

// address asks for an address to read the file.
func (d *dock) address(token string) string {
	d.Helper()
	var found struct{ URL string }
	got := d.bearing(token, "GET", d.object+"/signeds3download?minutesExpiration=60", "")
	if d.must(json.Unmarshal([]byte(got.Body), &found)); found.URL == "" {
		d.Fatalf("no address: %d %s", got.Status, got.Body)
	}
	return found.URL
}

func (d *dock) takes(method, address string, at *site) bool {
	r, err := http.NewRequest(method, address, strings.NewReader("bytes"))
	d.must(err)
	got, err := try(at.plain, r)
	d.must(err)
	return got.Status == http.StatusOK
}

// reads reports whether a server lets the token read the folder.
func (d *dock) reads(at *site, token string) bool {
	return at.bearing(token, "GET", "/data/v1/projects/"+d.project+"/folders/"+d.folder, "").Status == http.StatusOK
}

func (d *dock) tells(at *site, token string) bool {
	got := at.send(introspectPath, d.app, "token", token)
	return strings.Contains(got.Body, `"active":true`) && strings.Contains(got.Body, "data:read")
}

// gives reports whether a grant gives a token that reads.
func gives(t testing.TB, got answer) bool {
	t.Helper()
	if got.Status != http.StatusOK {
		t.Logf("no token: %d %s", got.Status, got.Body) // to be read where one was to be given
	}
	return got.Status == http.StatusOK && strings.Contains(claimsOf(t, got.text("access_token"))["scope"].(string),
		"data:read")
}

// ofDirectory ends the addresses of people who sign in by the directory works.
const ofDirectory = "@works.test"

// carriers are what was issued, each with whether it still gives what it gave.
// Those of once are used up by the look. A grant or route that is not among them
// fails TestEveryGrantAndEveryRouteWithoutTokenIsNarrowed.
func (d *dock) carriers() (lasting, once map[string]func(at *site) bool) {
	lasting = map[string]func(at *site) bool{
		"access":        func(at *site) bool { return d.reads(at, d.access) },
		"introspection": func(at *site) bool { return d.tells(at, d.access) },
		"refresh told":  func(at *site) bool { return d.tells(at, d.refreshing) },
		"user info":     func(at *site) bool { return at.userInfo(d.access).Status == http.StatusOK },
		"two-legged":    func(at *site) bool { return d.reads(at, d.twoLegged) },
		"account": func(at *site) bool {
			return at.bearing(d.account, "GET", "/project/v1/hubs", "").Status == http.StatusOK
		},
		"put": func(at *site) bool { return d.takes("PUT", d.put, at) },
		"get": func(at *site) bool { return d.takes("GET", d.get, at) },

		"colleague":     func(at *site) bool { return d.reads(at, d.colleagues) },
		"colleague get": func(at *site) bool { return d.takes("GET", d.colleaguesGet, at) },
		"managing":      func(at *site) bool { return d.manages(at) },
	}
	maps.Copy(lasting, d.sentCarriers())
	maps.Copy(lasting, d.elsewhereLasting())
	maps.Copy(lasting, d.employedLasting())
	maps.Copy(lasting, d.assistantLasting())
	once = map[string]func(at *site) bool{
		"code":    func(at *site) bool { return gives(d, at.redeem(d.app, d.code)) },
		"hybrid":  func(at *site) bool { return gives(d, at.redeem(d.app, d.hybrid)) },
		"refresh": func(at *site) bool { return gives(d, at.refresh(d.app, d.refreshing)) },
		"device": func(at *site) bool {
			return gives(d, at.send(tokenPath, d.app, "grant_type", deviceGrant, "device_code", d.device))
		},
		"assertion": func(at *site) bool { return gives(d, d.machine.exchange(d.assertion)) },
		"try-out":   d.tries,
	}
	maps.Copy(once, d.sentOnce())
	maps.Copy(once, d.elsewhereOnce())
	maps.Copy(once, d.employedOnce())
	maps.Copy(once, d.assistantOnce())
	return lasting, once
}

// Lists of carriers.
var (
	ofGrant   = []string{"access", "introspection", "refresh told", "user info", "put", "get", "refresh"}
	ofUser    = slices.Concat([]string{"code", "hybrid", "device", "introduced"}, ofAssistant, ofSent, handedOn, ofGrant)
	ofArrival = slices.Concat(ofDocument, ofRegistered, ofUser)
	ofPerson  = append([]string{"vouched"}, ofArrival...)
	ofNobody  = append([]string{"their word"}, ofPerson...)

	handedOn     = []string{"exchanged", "exchanged get", "impersonated"}
	ofDocument   = []string{"described", "described, refreshed"}
	ofRegistered = []string{"registered", "registered, refreshed"}
	ofEmployer   = []string{"vouched", "their word"}
	ofOther      = []string{"colleague", "colleague get"}
	ofPeople     = slices.Concat([]string{"try-out"}, ofUser, ofOther)
	ofApp        = slices.Concat([]string{"two-legged", "try-out"}, ofUser, ofOther)
	ofRobot      = []string{"account", "assertion", "account's, sent on", "account's, exchanged"}
	ofAssistant  = []string{"assistant", "assistant, refreshed"}
	ofSent       = []string{"sent", "sent, refreshed", "device, sent"}
	ofErrand     = append([]string{"sent", "account's, sent on", "account's, exchanged"}, handedOn...)
	ofOrders     = append([]string{"sent, refreshed", "device, sent"}, ofErrand...)
	ofMember     = []string{"access", "put", "get", "assistant"}
)

// narrowing is a way to take something away, and what dies of it.
type narrowing struct {
	narrow func(d *dock)
	dies   []string
}

// leavings are those of people who signed in by the directory works.
func leavings(slapd *ldaptest.Slapd) map[string]narrowing {
	return map[string]narrowing{
		"their directory is switched off": {func(d *dock) { d.command("", "directory", "disable", "works") },
			append([]string{"their word"}, ofArrival...)}, // nobody else lets them in meanwhile
		"their directory has them no more": {func(d *dock) {
			slapd.Change("dn: " + ldaptest.PersonDN(strings.TrimSuffix(d.person.email, ofDirectory)) +
				"\nchangetype: delete\n\n")
			d.command("", "directory", "sync", "works")
		}, ofNobody},
	}
}

// narrowings are the ways to take something away after it was issued, each with
// what dies of it. All else lives.
func narrowings() map[string]narrowing {
	command := func(d *dock, args ...string) { d.command("", args...) }
	type way = narrowing
	return map[string]way{
		"nothing": {func(*dock) {}, nil},
		"reading is taken from the app": {func(d *dock) {
			command(d, "client", "update", d.app.ID, "--scope", "openid email data:write data:create")
		}, []string{
			"access", "introspection", "refresh told", "two-legged", "get", "code", "hybrid", "device", "refresh",
			"colleague", "colleague get", "try-out", "sent", "sent, refreshed", "exchanged", "exchanged get",
			"impersonated", "assistant", "assistant, refreshed", "device, sent",
		}},
		"writing is taken from the app": {func(d *dock) {
			command(d, "client", "update", d.app.ID, "--scope", "openid email data:read")
		}, []string{"put"}},
		"openid is taken from the app": {func(d *dock) {
			command(d, "client", "update", d.app.ID, "--scope", "email data:read data:write data:create")
		}, []string{"user info"}},
		"reading is taken from the service account's app": {func(d *dock) {
			command(d, "client", "update", d.machine.owner.ID, "--scope", "data:write")
		}, ofRobot},
		"its redirect URI is another": {func(d *dock) {
			command(d, "client", "update", d.app.ID, "--redirect-uri", callback+"/new")
		}, []string{"code", "hybrid"}},
		"PKCE is demanded of it": {func(d *dock) {
			command(d, "client", "update", d.app.ID, "--require-pkce")
		}, []string{"code", "hybrid"}},
		"the internal app is none any more": {func(d *dock) {
			command(d, "client", "update", d.manager.ID, "--internal=false")
		}, []string{"managing"}},
		"the colleague's right in the folder is taken": {func(d *dock) {
			command(d, "grant", "remove", "--project", d.project, "--folder", d.folder, "--user", d.colleague.email)
		}, ofOther},
		"the colleague manages the app no more": {func(d *dock) {
			d.person.press("/apps/" + d.app.ID + "/members/" + d.colleagueID + "/remove")
		}, []string{"try-out"}},
		"the app is disabled": {func(d *dock) { command(d, "client", "disable", d.app.ID) }, ofApp},
		"the app is disabled, and enabled": {func(d *dock) {
			command(d, "client", "disable", d.app.ID) // in the very second of the last tokens
			command(d, "client", "enable", d.app.ID)
		}, ofApp},
		"the app is for nobody": {func(d *dock) { command(d, "client", "update", d.app.ID, "--restricted") }, ofPeople},
		"they are taken off the app's list": {func(d *dock) {
			d.listed("--user", d.userID)
			command(d, "client", "disallow", d.app.ID, "--user", d.userID)
		}, ofUser},
		"their group is taken off the app's list": {func(d *dock) {
			d.listed("--group", d.group())
			command(d, "client", "disallow", d.app.ID, "--group", "Group of "+d.userID)
		}, ofUser},
		"they leave the group that the app is for": {func(d *dock) {
			d.listed("--group", d.group())
			command(d, "user-group", "remove", "Group of "+d.userID, d.userID)
		}, ofUser},
		"the app is deleted":     {func(d *dock) { command(d, "client", "delete", d.app.ID, "--yes") }, ofApp},
		"the person is disabled": {func(d *dock) { command(d, "user", "disable", d.userID) }, ofNobody},
		"the person is deleted":  {func(d *dock) { command(d, "user", "delete", d.userID, "--yes") }, ofNobody},
		"their company switches them off": {func(d *dock) {
			d.company("Company of "+d.userID, "example.test").switchOff(d.person.email)
		}, ofNobody},
		"they are signed out everywhere": {func(d *dock) { command(d, "user", "sign-out", d.userID) }, ofPerson},
		"their password is another": {func(d *dock) {
			d.command("another "+password, "user", "set-password", d.userID, "--password-stdin")
		}, ofPerson},
		"they withdraw the app's access": {func(d *dock) { command(d, "consent", "withdraw", d.userID, d.app.ID) }, ofUser},
		"the app revokes its grant": {func(d *dock) {
			d.send(revokePath, d.app, "token", d.refreshing, "token_type_hint", "refresh_token")
		}, ofGrant},
		"the service account is disabled": {func(d *dock) { command(d, "service-account", "disable", d.machine.AccountID) },
			ofRobot},
		"the service account is deleted": {func(d *dock) {
			command(d, "service-account", "delete", d.machine.AccountID, "--yes")
		}, append([]string{"managing"}, ofRobot...)},
		"its key is deleted": {func(d *dock) {
			command(d, "service-account", "key", "delete", d.machine.AccountID, d.machine.KID, "--yes")
		}, ofRobot},
		"the app may not enter the hub any more": {func(d *dock) {
			command(d, "app", "remove", "--hub", d.hub, "--client", d.app.ID)
		}, slices.Concat([]string{"two-legged"}, ofMember, ofOther)},
		"they leave the hub": {func(d *dock) { command(d, "member", "remove", "--yes", "--hub", d.hub, "--user", d.userID) },
			slices.Concat(handedOn, ofMember)},
		"they leave the project": {func(d *dock) {
			command(d, "member", "remove", "--yes", "--project", d.project, "--user",
				d.userID)
		}, slices.Concat(handedOn, ofMember)},
		"the resource is disabled": {func(d *dock) { command(d, "resource", "disable", d.orders) }, ofOrders},
		"the resource is deleted":  {func(d *dock) { command(d, "resource", "delete", d.orders, "--yes") }, ofOrders},
		"the resource is disabled, and enabled": {func(d *dock) {
			command(d, "resource", "disable", d.orders)
			command(d, "resource", "enable", d.orders)
		}, ofOrders},
		"the resource is deleted, and registered again": {func(d *dock) {
			command(d, "resource", "delete", d.orders, "--yes")
			d.registersOrders()
		}, ofOrders},
		"the resource moves, and another has its address": {func(d *dock) {
			command(d, "resource", "set", d.orders, "resource="+d.orders+"/moved")
			d.registersOrders()
		}, ofOrders},
		"what assistants read is registered, and that is deleted": {func(d *dock) {
			d.readsBesides(func(string) {})
		}, ofAssistant},
		"what assistants read is registered, disabled, and deleted": {func(d *dock) {
			d.readsBesides(func(address string) { command(d, "resource", "disable", address) })
		}, ofAssistant},
		"the app of a document is disabled": {(*dock).disablesDescribed, ofDocument},
		"the policy blocks the address of a document": {func(d *dock) {
			command(d, "policy", "set", "metadata_documents=all -"+d.described.ID)
		}, ofDocument},
		"its own service is disabled": {func(d *dock) { command(d, "client", "disable", d.service.ID) }, ofErrand},
	}
}

// listed makes the app one that is only for the colleague and another, who goes
// on using it.
func (d *dock) listed(kind, who string) {
	d.command("", "client", "allow", d.app.ID, kind, who)
	d.command("", "client", "allow", d.app.ID, "--user", d.colleagueID)
	d.command("", "client", "update", d.app.ID, "--restricted")
}

// group is a new group that the person is in.
func (d *dock) group() string {
	name := "Group of " + d.userID
	d.command("", "user-group", "create", "--name", name)
	d.command("", "user-group", "add", name, d.userID)
	return name
}

// pause waits for the next second: tokens tell no more than that of their issue.
func (d *dock) pause() { time.Sleep(1100 * time.Millisecond) }

// triedOn says whether a way is tried on the engine: each is on one of the two, and in the soak
// on both. What the store does to take something away is shown on both by its own tests, and
// how the other server hears of it does not depend on what that was.
func triedOn(database, way string) bool {
	sqlite := strings.HasPrefix(database, "sqlite:")
	return soaking() || way == "nothing" || sqlite == (partOf(way, 2) == 0)
}

// Rules: ACCESS-3, CIMD-6, CIMD-7, CODE-13, DCR-5, FED-2, HANDON-4, IDJAG-5, LDAP-8, MCP-4, RES-17, SCIM-4, TOKEN-9, TOKEN-27, TOKEN-28, TOKEN-35, VOUCH-3
func TestWhatIsTakenAwayActsOnEverythingThatWasIssuedOnASecondServer(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		all := newDocuments(t)
		both := twinsOn(t, database, all.trust, "MCP=on")
		both[0].command("", "policy", "set", "metadata_documents=all", "dynamic_registration=open")
		upstreams := newEmployers(t)
		number, slapd := 0, ldaptest.Start(t, ldaptest.PersonLDIF("person-1",
			password)+ldaptest.PersonLDIF("person-2", password)+ldaptest.PersonLDIF("stays", password))
		both[0].directory(slapd, "works")
		both[0].person("stays" + ofDirectory) // a walk that misses everybody ends nobody (LDAP-9)
		both[0].command("", "directory", "connect", "works", "stays"+ofDirectory, "stays"+ofDirectory)
		narrowed := func(name, email string, way narrowing, arrives func(*dock) *visitor) {
			d := dockOf(both[0], email, arrives)
			d.reaches(all)
			d.registersItself()
			d.vouchedFor()
			lasting, once := d.carriers()
			for carrier, alive := range lasting {
				for i, server := range both {
					server.within(time.Second, func() bool { return alive(server) }, "%s: before, %q is dead at server %d",
						name, carrier, i)
				}
			}
			way.narrow(d)
			for carrier, alive := range lasting {
				for i, server := range both {
					if slices.Contains(way.dies, carrier) {
						server.within(time.Second, func() bool { return !alive(server) },
							"%s: %q lives on at server %d", name, carrier, i)
					}
				}
			}
			d.pause()
			for carrier, alive := range lasting {
				if !slices.Contains(way.dies, carrier) { // what has died does not live again
					both[1].within(time.Second, func() bool { return alive(both[1]) }, "%s: %q died", name, carrier)
				}
			}
			for carrier, alive := range once {
				if got := alive(both[1]); got == slices.Contains(way.dies, carrier) {
					t.Errorf("%s: %q gives what it gave: %v", name, carrier, got)
				}
			}
		}
		withPassword := func(d *dock) *visitor {
			d.joins(upstreams)
			return d.signedIn(d.email)
		}
		ways := narrowings()
		maps.Copy(ways, estrangements())
		maps.DeleteFunc(ways, func(name string, _ narrowing) bool { return !triedOn(database, name) })
		for name, way := range ways {
			number++
			narrowed(name, fmt.Sprintf("person-%d@example.test", number), way, withPassword)
		}
		for name, way := range departures() {
			number++
			narrowed(name, fmt.Sprintf("person-%d@example.test", number), way,
				func(d *dock) *visitor { return d.joins(upstreams) })
		}
		number = 0
		for name, way := range leavings(slapd) {
			number++
			both[0].command("", "directory", "enable", "works")
			narrowed(name, fmt.Sprintf("person-%d%s", number, ofDirectory), way, withPassword)
		}
	})
}

// waysToTokens are what the server says of itself that gives tokens, and who comes to it
// without being registered by anybody.
func (s *site) waysToTokens() (ways []string) {
	document := map[string]any{}
	eventually(s, patience, "clients may register themselves", func() bool {
		document = s.visitor("").fetch("GET", discoveryPath).object(s)
		return document["registration_endpoint"] != nil && document["client_id_metadata_document_supported"] == true
	})
	for word, list := range map[string]string{"grant ": "grant_types_supported", "response ": "response_types_supported",
		"exchanged for ": "identity_chaining_requested_token_types_supported",
		"vouched by ":    "authorization_grant_profiles_supported"} {
		for _, one := range document[list].([]any) {
			ways = append(ways, word+one.(string))
		}
	}
	for name := range document {
		if strings.HasPrefix(name, "client_id_") || strings.HasPrefix(name, "registration_") {
			ways = append(ways, name)
		}
	}
	return ways
}

// Rules: TOKEN-28, TOKEN-35
func TestEveryGrantAndEveryRouteWithoutTokenIsNarrowed(t *testing.T) {
	s := start(t, sqliteURL(t), "MCP=on")
	s.command("", "policy", "set", "metadata_documents=all", "dynamic_registration=open")
	lasting, once := (&dock{site: s}).carriers()
	of := map[string]string{
		"exchanged for " + jagType: "introduced", "vouched by urn:ietf:params:oauth:grant-profile:id-jag": "their word",
		"client_id_metadata_document_supported": "described, refreshed", "registration_endpoint": "registered, refreshed",
		"/mcp":                     "assistant",
		"grant authorization_code": "code", "grant implicit": "hybrid", "grant refresh_token": "refresh",
		"grant client_credentials": "two-legged", "grant " + jwtBearer: "assertion", "grant " + deviceGrant: "device",
		"grant " + exchangeGrant: "exchanged",
		"response code":          "code", "response id_token": "hybrid", "response code id_token": "hybrid",
		"/oss/v2/signed/{ticket}": "get", "/userinfo": "user info", introspectPath: "introspection",
		"/twins/{twinID}/documents/{documentID}/content":           "elsewhere", // TestALinkLosesTheScopesThatItsAppLoses
		"/tandem/v1/twins/{twinID}/documents/{documentID}/content": "elsewhere",
		"/files/v1/archives/{ticket}":                              "elsewhere", // TestAnArchiveEndsWithTheRightTo…
	}
	for _, free := range []string{
		tokenPath, authorizePath, authorizePath + "/resume", revokePath, keysPath, logoutPath, discoveryPath,
		"/.well-known/oauth-authorization-server", "/.well-known/oauth-protected-resource",
		"/authentication/v2/par", "/account/v1/recovery",
		"/authentication/v2/register", "/authentication/v2/register/{clientId}",
		"/", "/login", "/login/claim", "/login/code", "/login/enrol", "/login/passkey", "/consent", "/signout",
		"/assets/{name}",
		"/device", "/device/confirm", "/authentication/v2/device_authorization",
		"/login/upstream/{upstreamId}", "/login/upstream/{upstreamId}/callback",
		"/login/upstream/{upstreamId}/backchannel-logout",
		"/logos/{logo}", "/schema/v1/versions/{schema_id}", "/healthz", "/readyz",
	} {
		of[free] = "nothing" // it gives nothing that was issued before
	}
	paths := s.waysToTokens()
	for _, template := range tokenless(t) {
		// Tokens of connections speak for no person, and are of one company: see SCIM-1.
		if !isPage(template) && !strings.HasPrefix(template, "/scim/") {
			paths = append(paths, template)
		}
	}
	for _, path := range paths {
		carrier, known := of[path]
		if !known {
			t.Errorf("%s: say in this test what it gives, and add it to the carriers", path)
		}
		if carrier != "nothing" && carrier != "elsewhere" && lasting[carrier] == nil && once[carrier] == nil {
			t.Errorf("%s: there is no carrier %q", path, carrier)
		}
	}
}
