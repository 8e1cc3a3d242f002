package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/portico-id/portico/cmd/portico/internal/version"
	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore"
)

// soakChangesVariable sets how many changes the kill test makes; make
// soak-kill-tree sets it to the full size.
const soakChangesVariable = "PORTICO_SOAK_CHANGES"

const quickChanges = 60

func soakChanges(t *testing.T) int {
	t.Helper()
	text := os.Getenv(soakChangesVariable)
	if text == "" {
		return quickChanges
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < flowsPerKill {
		t.Fatalf("%s=%s: expected a number from %d", soakChangesVariable, text, flowsPerKill)
	}
	return n
}

// yard is a project that several clients change while its server is killed and
// started again.
type yard struct {
	*mortal
	store   *sqlstore.Store
	project string
	files   string // uid of the folder that everything lies in
	seed    string // uid of the item that others are copies of
	token   string
}

// Rule: DATA-89
func TestAKilledServerKeepsEveryChangeThatItAcknowledgedWithItsEvent(t *testing.T) {
	inTurn(t, func(t *testing.T, database string) {
		y := newYard(t, database)
		n := soakChanges(t)
		hands := make([]*hand, killWorkers)
		var working sync.WaitGroup
		for i := range hands {
			hands[i] = newHand(y, i)
			working.Go(func() {
				for !y.Failed() && y.begin(n) {
					hands[i].change()
				}
			})
		}
		working.Wait()
		made, repeated := 0, 0
		found := y.walk()
		for _, h := range hands {
			made, repeated = made+h.made, repeated+h.repeated
			h.check(found)
		}
		t.Logf("%d changes, of which %d lost an answer", made, repeated)
	})
}

func newYard(t *testing.T, database string, settings ...string) *yard {
	t.Helper()
	return yardOf(t, newSite(t, database, settings...), database)
}

// yardOf starts a server for the site and makes a yard of it.
func yardOf(t *testing.T, s *site, database string) *yard {
	t.Helper()
	y := &yard{mortal: &mortal{site: s}}
	y.up = sync.NewCond(&y.mu)
	y.process = y.spawn()
	y.app = y.client("--type", "service", "--profile", "platform", "--scope", "data:read data:write data:create")
	var hub, project struct{ ID string }
	y.commandJSON(&hub, "", "hub", "create", "--name", "Works")
	y.commandJSON(&project, "", "project", "create", "--hub", hub.ID, "--name", "Yard")
	y.command("", "app", "provision", "--hub", hub.ID, "--client", y.app.ID, "--level", "control")
	y.project = project.ID
	y.token = y.mortal.token(y.app, "grant_type", "client_credentials").text("access_token")
	var err error
	y.store, err = sqlstore.Open(t.Context(), sqlstore.Options{URL: database, Version: version.Number})
	y.must(err)
	t.Cleanup(func() { y.must(y.store.Close()) })
	y.furnish()
	return y
}

// furnish finds the folder to work in, and puts an item there to be copied.
func (y *yard) furnish() {
	place, err := y.store.FindProject(y.Context(), storage.Caller{}, y.project)
	y.must(err)
	top, err := y.store.ListTopFolders(y.Context(), place, storage.TopQuery{})
	y.must(err)
	for _, f := range top {
		if f.Kind == storage.FolderFiles {
			y.files = f.ID
		}
	}
	source := ambient.System()
	y.seed = source.UID()
	change := storage.Change{Act: storage.Act{At: source.Now(), Actor: storage.Actor{Kind: storage.ActorOperator}}}
	_, err = y.store.CreateItem(y.Context(), change, y.project,
		storage.Item{ID: y.seed, FolderID: y.files, Name: "seed.txt"}, storage.NewVersion{Name: "seed.txt"})
	y.must(err)
}

// URNs, and the way to one in a path.
func folderURN(uid string) string { return "urn:portico:fs.folder:co." + uid }
func itemURN(uid string) string   { return "urn:portico:dm.lineage:" + uid }
func versionURN(uid string, number int) string {
	return fmt.Sprintf("urn:portico:fs.file:vf.%s?version=%d", uid, number)
}

func (y *yard) at(kind, urn string) string {
	return "/data/v1/projects/" + y.project + "/" + kind + "/" + url.PathEscape(urn)
}

func (y *yard) all(kind string) string { return "/data/v1/projects/" + y.project + "/" + kind }

type object = map[string]any

// insist makes a change until there is an answer to it: what was lost with the
// server is asked for again, a creation under its key. It returns the answer,
// and whether one was lost.
func (y *yard) insist(method, path string, status int, body object) (got answer, lost bool) {
	text, err := json.Marshal(body)
	y.must(err)
	key := ambient.System().UID()
	for {
		y.await()
		r, err := http.NewRequest(method, y.URL+path, bytes.NewReader(text))
		y.must(err)
		r.Header.Set("Authorization", "Bearer "+y.token)
		r.Header.Set("Content-Type", "application/vnd.api+json")
		if strings.HasPrefix(path, "/oss/") {
			r.Header.Set("Content-Type", "application/json")
		}
		if method == http.MethodPost {
			r.Header.Set("Idempotency-Key", key)
		}
		got, err = try(y.plain, r)
		switch {
		case err != nil:
			lost = true
		case got.Status == status:
			return got, lost
		case got.Status == http.StatusServiceUnavailable, strings.Contains(got.Body, "PROJECT_BUSY"):
			// As it says: again.
		default:
			y.Errorf("%s %s: %d %s", method, path, got.Status, got.Body)
			return got, lost
		}
	}
}
