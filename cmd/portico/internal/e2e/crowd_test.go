package e2e

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/harness/pgtest"
)

// Pages, forms, tokens, files, notices and the work that nobody waits for are used at
// the same time, so that the race detector, under which .ci/race runs this, sees what
// the server's memory is guarded by. What comes of it others judge; here nothing may
// be refused as a failure of the server's own. What each engine's connections share the
// engine's own tests have watched; soak-race uses everything on both.
func TestEverythingIsUsedAtOnce(t *testing.T) {
	engines := []func(testing.TB) string{pgtest.URL}
	if soaking() {
		engines = append(engines, sqliteURL)
	}
	for _, engine := range engines {
		database := engine(t)
		f, people := officeWith(t, database)
		c := &everybody{furnished: f, forms: f.walk(t, people).forms, dock: newDock(f.site, "docker@example.test")}
		start(t, database).tolerate(outage) // another server tells this one what it changed
		f.tolerate(outage)                  // whoever is told to try again meets no failure
		c.notified()
		for range 2 {
			c.machines()
			for i, v := range people {
				c.all.Go(func() { c.visits(v, i) })
			}
		}
		c.all.Go(c.changes)
		c.all.Wait()
	}
}

// everybody is who uses a site at once.
type everybody struct {
	*furnished
	dock  *dock
	forms []pageForm
	all   sync.WaitGroup
}

// notified has somebody told of what happens: a webhook of files, an app of sign-outs,
// and whoever waits for changes.
func (c *everybody) notified() {
	c.Helper()
	told := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	c.Cleanup(told.Close)
	c.command("", "webhook", "create", "--project", c.dock.project, "--url", told.URL, "--event", "dm.version.added")
	c.command("", "client", "update", c.dock.app.ID, "--backchannel-logout-uri", told.URL)
	c.command("", "upstream", "create", "itself", "issuer="+c.URL, "client_id=portico", "networks=127.0.0.0/8")
	c.all.Go(func() { c.bearing(c.dock.access, "GET", "/data/v1/projects/"+c.dock.project+"/changes?wait=2", "") })
}

// machines use what was issued, each once and all together.
func (c *everybody) machines() {
	lasting, once := c.dock.carriers()
	for _, uses := range []map[string]func(*site) bool{lasting, once} {
		for use := range maps.Values(uses) {
			c.all.Go(func() { use(c.site) })
		}
	}
	p := &probes{site: c.site, app: c.dock.app, access: c.dock.access}
	for request := range maps.Values(p.all()) {
		c.all.Go(func() { c.answers(request()) })
	}
	company := c.company("Works of "+ambient.System().UID(), "works.example.test")
	for range 2 {
		c.all.Go(func() { c.bearing(company.token, "GET", "/scim/v2/"+company.id+"/Users", "") })
		c.all.Go(c.comesAndGoes)
		c.all.Go(c.setsOut)
	}
}

// setsOut begins to sign in at an upstream, twice.
func (c *everybody) setsOut() {
	for range 2 {
		request, err := http.NewRequest("GET", c.URL+"/login/upstream/itself", nil)
		c.must(err)
		c.answers(request)
	}
}

// comesAndGoes signs somebody in, whatever that takes by now, and out.
func (c *everybody) comesAndGoes() {
	v := c.visitor("docker@example.test")
	if _, err := v.through(v.open(c.URL + "/apps")); err != nil {
		c.Error(err)
	}
	v.press("/signout")
}

// visits opens the pages on which somebody may change something; every second person
// begins with the last.
func (c *everybody) visits(v *visitor, turn int) {
	var pages []string
	for _, form := range c.forms {
		if form.by == v && !slices.Contains(pages, form.page) {
			pages = append(pages, form.page)
		}
	}
	if turn%2 == 1 {
		slices.Reverse(pages)
	}
	for _, path := range pages {
		v.fetch("GET", path)
	}
}

// changes sends a form of each kind, twice at once, what ends something last.
func (c *everybody) changes() {
	sent := map[string]bool{}
	for _, found := range c.forms {
		form, there := found.by.again(found)
		if sent[form.key] || !there || unguarded[form.at.Path] != "" {
			continue
		}
		sent[form.key] = true
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() { form.by.sends(form) })
		}
		both.Wait()
	}
}

// answers fails for a server that fails.
func (c *everybody) answers(r *http.Request) {
	got, err := try(c.plain, r)
	if err != nil || got.Status >= 500 && got.Status != http.StatusServiceUnavailable {
		c.Errorf("%s %s: %d %v", r.Method, r.URL, got.Status, err)
	}
}
