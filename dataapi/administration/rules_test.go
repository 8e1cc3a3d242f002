package administration_test

import (
	"testing"
	"time"

	"github.com/portico-id/portico/dataapi/administration"
	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/harness/pgtest"
	"github.com/portico-id/portico/internal/harness/sqlitetest"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// office is the rules at work on a real database, with a clock of its own.
type office struct {
	testing.TB
	store *sqlstore.Store
	rules *administration.Rules
	now   time.Time
}

func eachEngine(t *testing.T, test func(t *testing.T, o *office)) {
	t.Run("sqlite", func(t *testing.T) {
		test(t, newOffice(t, sqlitetest.URL(t)))
	})
	t.Run("postgres", func(t *testing.T) { test(t, newOffice(t, pgtest.URL(t))) })
}

func newOffice(t *testing.T, database string) *office {
	t.Helper()
	o := &office{TB: t, now: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)}
	var err error
	o.store, err = sqlstore.Open(t.Context(), sqlstore.Options{URL: database, Version: "0.1.0", Migrate: true})
	o.must(err)
	t.Cleanup(func() { o.must(o.store.Close()) })
	source := ambient.New(func() time.Time { return o.now }, ambient.System().Random())
	o.rules = administration.New(administration.Options{Store: o.store, Ambient: source, Namespace: "portico"})
	return o
}

func (o *office) must(err error) {
	o.Helper()
	if err != nil {
		o.Fatal(err)
	}
}

func (o *office) change() storage.Change { return storage.Change{Act: storage.Act{At: o.now}} }

// project makes a project in a hub of its own.
func (o *office) project() storage.Project {
	o.Helper()
	hub, err := o.rules.CreateHub(o.Context(), o.change(), administration.NewHub{Name: "Hub"})
	o.must(err)
	project, err := o.rules.CreateProject(o.Context(), o.change(),
		administration.NewProject{HubID: hub.ID, Name: "Project"})
	o.must(err)
	return project
}

// Rule: ADMIN-14
func TestWhatWasHiddenIsKeptForThirtyDays(t *testing.T) {
	const day = 24 * time.Hour
	eachEngine(t, func(t *testing.T, o *office) {
		project := o.project()
		plans, err := o.rules.FindTopFolder(t.Context(), project.ID, storage.FolderPlans)
		o.must(err)
		hidden := true
		_, err = o.store.UpdateFolder(t.Context(), o.change(), project.ID, plans.ID, storage.FolderPatch{Hidden: &hidden})
		o.must(err)
		purge := func(days int) (int, error) { return o.rules.Purge(t.Context(), o.change(), project.ID, days) }
		for _, days := range []int{-1, 0, administration.RetentionDays - 1, 40_000} {
			if _, err := purge(days); !fault.Is(err, fault.Invalid) || fault.From(err).Source != administration.FieldDays {
				t.Errorf("%d days: %v", days, err)
			}
		}
		o.now = o.now.Add(30 * day)
		if n, err := purge(30); n != 0 || err != nil {
			t.Errorf("on the last day: %d, %v", n, err)
		}
		o.now = o.now.Add(time.Second)
		if n, err := purge(31); n != 0 || err != nil {
			t.Errorf("what is to be kept for 31 days: %d, %v", n, err)
		}
		_, err = o.rules.ArchiveProject(t.Context(), o.change(), project.ID, true)
		o.must(err)
		if _, err := purge(30); !fault.Is(err, fault.Locked) {
			t.Errorf("in an archived project: %v", err)
		}
		_, err = o.rules.ArchiveProject(t.Context(), o.change(), project.ID, false)
		o.must(err)
		if n, err := purge(30); n != 1 || err != nil {
			t.Errorf("after that: %d, %v", n, err)
		}
		if _, err := o.rules.FindTopFolder(t.Context(), project.ID, storage.FolderPlans); !fault.Is(err, fault.NotFound) {
			t.Errorf("the folder: %v", err)
		}
		files, err := o.rules.FindTopFolder(t.Context(), project.ID, storage.FolderFiles)
		o.must(err) // what is visible stays
		again, err := o.store.CreateFolder(t.Context(), o.change(), project.ID,
			storage.Folder{ID: "again", ParentID: files.ID, Name: "Again"})
		o.must(err)
		for range 2 { // hidden, restored and hidden again: the days begin anew
			for _, hide := range []bool{true, false, true} {
				_, err = o.store.UpdateFolder(t.Context(), o.change(), project.ID, again.ID, storage.FolderPatch{Hidden: &hide})
				o.must(err)
			}
			if n, err := purge(30); n != 0 || err != nil {
				t.Errorf("what was restored and hidden again: %d, %v", n, err)
			}
			hide := false
			_, err = o.store.UpdateFolder(t.Context(), o.change(), project.ID, again.ID, storage.FolderPatch{Hidden: &hide})
			o.must(err)
			o.now = o.now.Add(31 * day)
			if n, err := purge(30); n != 0 || err != nil {
				t.Errorf("what was restored: %d, %v", n, err)
			}
		}
		if _, err := o.rules.Purge(t.Context(), o.change(), "b.none", 30); !fault.HasReason(err, "project_not_found") {
			t.Errorf("no project: %v", err)
		}
	})
}

// Rule: ADMIN-9
func TestAMoreDistantAdministratorIsNoneAtAll(t *testing.T) {
	eachEngine(t, func(t *testing.T, o *office) {
		mine, other := o.project(), o.project()
		user := storage.User{ID: "ABCDEFGHIJKLMNOP", Email: "person@example.test", CreatedAt: o.now, UpdatedAt: o.now}
		o.must(o.store.CreateUser(t.Context(), storage.Act{At: o.now}, user, ""))
		o.must(o.rules.SetMember(t.Context(), o.change(),
			administration.Membership{HubID: mine.HubID, UserID: user.ID, Admin: true}))
		who := administration.Caller{UserID: user.ID}
		_, err := o.rules.HubFor(t.Context(), who, mine.HubID)
		o.must(err)
		_, err = o.rules.ProjectFor(t.Context(), who, mine.ID)
		o.must(err)
		_, _, err = o.rules.FolderFor(t.Context(), who, mine.ID, mine.RootFolderID)
		o.must(err)
		_, absent := o.rules.HubFor(t.Context(), who, "b.none")
		_, foreign := o.rules.HubFor(t.Context(), who, other.HubID)
		if absent == nil || foreign == nil || absent.Error() != foreign.Error() {
			t.Errorf("a foreign hub: %v; none: %v", foreign, absent)
		}
		if _, err := o.rules.ProjectFor(t.Context(), who, other.ID); !fault.Is(err, fault.NotFound) {
			t.Errorf("a foreign project: %v", err)
		}
		if _, _, err := o.rules.FolderFor(t.Context(), who, mine.ID, other.RootFolderID); !fault.Is(err, fault.NotFound) {
			t.Errorf("a folder of another project: %v", err)
		}
		if _, _, err := o.rules.FolderFor(t.Context(), who, other.ID, other.RootFolderID); !fault.Is(err, fault.NotFound) {
			t.Errorf("a foreign folder: %v", err)
		}
	})
}
