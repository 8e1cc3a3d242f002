package demo_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/portico-id/portico/cmd/portico/internal/demo"
	"github.com/portico-id/portico/cmd/portico/internal/version"
	"github.com/portico-id/portico/dataapi/administration"
	"github.com/portico-id/portico/dataapi/facilities"
	"github.com/portico-id/portico/dataapi/flow"
	"github.com/portico-id/portico/dataapi/objects"
	"github.com/portico-id/portico/dataapi/pages/filing"
	"github.com/portico-id/portico/dataapi/pages/ground"
	"github.com/portico-id/portico/dataapi/transmittal"
	"github.com/portico-id/portico/dataapi/tree"
	"github.com/portico-id/portico/dataapi/twins"
	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/harness/sqlitetest"
	"github.com/portico-id/portico/internal/password"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/provider/people"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/blobstore"
	"github.com/portico-id/portico/storage/sqlstore"
	"github.com/portico-id/portico/templates"
)

// stage is an empty database and a data directory.
type stage struct {
	options demo.Options
	store   *sqlstore.Store
	out     bytes.Buffer
}

func newStage(t *testing.T) *stage {
	t.Helper()
	dir := t.TempDir()
	store, err := sqlstore.Open(t.Context(),
		sqlstore.Options{URL: sqlitetest.URL(t), Version: version.Number, Migrate: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	source := ambient.System()
	s := &stage{store: store}
	s.options = demo.Options{
		Store:   store,
		Data:    administration.New(administration.Options{Store: store, Ambient: source, Namespace: "portico"}),
		People:  people.New(people.Options{Store: store, Ambient: source, Passwords: password.New(source)}),
		Apps:    apps.New(apps.Options{Store: store, Ambient: source}),
		Ambient: source, URL: "http://localhost:8080", DataDir: dir, Out: &s.out,
		Twins: facilities.New(facilities.Options{Store: store, Ambient: source, Namespace: "portico"}),
	}
	s.options.Files = filesOf(t, store, source, &s.options)
	return s
}

// filesOf are the pages of files, which keep files as the demo's.
func filesOf(t *testing.T, store *sqlstore.Store, source *ambient.Source, o *demo.Options) demo.Files {
	t.Helper()
	blobs, err := blobstore.OpenFiles(t.TempDir(), source)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = blobs.Close() })
	pages, err := templates.New(source.Token)
	if err != nil {
		t.Fatal(err)
	}
	ring, err := sealing.New([]byte(strings.Repeat("k", 32)), nil, source)
	if err != nil {
		t.Fatal(err)
	}
	sessions := websession.New(websession.Options{Store: store, Ring: ring, Ambient: source})
	on := ground.New(ground.Options{Store: store, Ambient: source, URN: "portico", Sessions: sessions, Pages: pages,
		Web: webpage.New(pages, slog.New(slog.DiscardHandler), sessions.Greet), Sealer: ring})
	o.Sent = transmittal.New(transmittal.Options{Store: store, Rights: on.Find, People: o.Data, Ambient: source})
	o.Papers = twins.New(twins.Options{Store: store, Blobs: blobs, Originals: on.Find, Ambient: source, Signer: ring,
		Namespace: "portico"})
	return filing.New(filing.Options{Ground: on, Store: store, Rules: tree.New(store, on.Find, source),
		States: flow.New(store, on.Find), Bytes: objects.New(objects.Options{Store: store, Blobs: blobs, Rights: on.Find,
			Ambient: source, Signer: ring, Namespace: "portico"})})
}

// prepare runs the demo and returns what it wrote.
func (s *stage) prepare(t *testing.T) (sheet string) {
	t.Helper()
	s.out.Reset()
	if err := demo.Prepare(t.Context(), s.options); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(s.file())
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func (s *stage) file() string { return filepath.Join(s.options.DataDir, "demo.env") }

func value(sheet, name string) string {
	_, rest, _ := strings.Cut("\n"+sheet, "\n"+name+"=")
	line, _, _ := strings.Cut(rest, "\n")
	return line
}

func TestTheSheetSaysWhatIsPrinted(t *testing.T) {
	s := newStage(t)
	sheet := s.prepare(t)
	for _, name := range []string{"DEMO_URL", "DEMO_USER", "DEMO_PASSWORD", "DEMO_CLIENT_ID", "DEMO_CLIENT_SECRET",
		"DEMO_HUB", "DEMO_PROJECT"} {
		if v := value(sheet, name); v == "" || !strings.Contains(s.out.String(), v) {
			t.Errorf("%s is %q in the file, and printed was %s", name, v, s.out.String())
		}
	}
	if info, err := os.Stat(s.file()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v; want 0600", info.Mode(), err)
	}
	if _, err := s.options.Apps.Find(t.Context(), value(sheet, "DEMO_CLIENT_ID")); err != nil {
		t.Error(err)
	}
	if user, err := s.options.People.Find(t.Context(), "demo@example.test"); err != nil || user.Admin {
		t.Errorf("demo user %+v, %v; want one without rights", user, err)
	}
}

// What the lines say is so: TestTheDemoHasAHubWithPeopleOfEveryRoleUnderFixedIDs.
//
// Rule: ADMIN-25
func TestTheSheetAndTheReadMeSayWhoSeesWhat(t *testing.T) {
	s := newStage(t)
	sheet := s.prepare(t)
	readMe, err := os.ReadFile("../../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	told := 0
	for line := range strings.Lines(s.out.String()) {
		address, sees, found := strings.Cut(strings.TrimSpace(line), "@example.test ")
		sees = strings.TrimSpace(sees)
		if !found {
			continue
		}
		told++
		if row := "| `" + address + "@example.test` | " + sees + " |"; !strings.Contains(string(readMe), row) {
			t.Errorf("README.md lacks the row %s", row)
		}
		if _, err := s.options.People.Find(t.Context(), address+"@example.test"); err != nil {
			t.Error(err)
		}
	}
	users, err := s.store.ListUsers(t.Context(), storage.UserFilter{}, storage.PageRequest{})
	if err != nil || told != users.Total-1 || !strings.Contains(s.out.String(), value(sheet, "DEMO_USER")) {
		t.Errorf("%d of %d people are told of, %v:\n%s", told, users.Total, err, s.out.String())
	}
}

func TestASecondStartUsesTheSameAgain(t *testing.T) {
	s := newStage(t)
	first := s.prepare(t)
	s.options.URL = "http://localhost:9090"
	second := s.prepare(t)
	if want := strings.Replace(first, ":8080", ":9090", 1); second != want {
		t.Errorf("got\n%swant\n%s", second, want)
	}
}

func TestALostSheetIsWrittenAnew(t *testing.T) {
	s := newStage(t)
	first := s.prepare(t)
	if err := os.Remove(s.file()); err != nil {
		t.Fatal(err)
	}
	second := s.prepare(t)
	if value(first, "DEMO_PASSWORD") == value(second, "DEMO_PASSWORD") {
		t.Error("a password nobody knows any more is still there")
	}
	users, err := s.store.ListUsers(t.Context(), storage.UserFilter{}, storage.PageRequest{})
	if err != nil || users.Total != 6 {
		t.Errorf("there are %d users, %v", users.Total, err)
	}
}

func TestASheetFromAnotherDatabaseIsReplaced(t *testing.T) {
	old := newStage(t).prepare(t)
	s := newStage(t)
	if err := os.WriteFile(s.file(), []byte(old), 0o600); err != nil {
		t.Fatal(err)
	}
	sheet := s.prepare(t)
	if _, err := s.options.Apps.Find(t.Context(), value(sheet, "DEMO_CLIENT_ID")); err != nil {
		t.Error(err)
	}
	if value(sheet, "DEMO_PASSWORD") == value(old, "DEMO_PASSWORD") {
		t.Error("the password of another database is still in the file")
	}
}

// stops keeps so many papers, and then fails as an object store does that is away.
type stops struct {
	demo.Files
	after *int
}

func (f stops) Bring(ctx context.Context, change storage.Change, projectID, folderID, name string,
	body io.Reader) error {
	if *f.after--; *f.after < 0 {
		return errors.New("no place for bytes")
	}
	return f.Files.Bring(ctx, change, projectID, folderID, name, body)
}

func TestAStartThatWasInterruptedIsMadeUpForByTheNext(t *testing.T) {
	s, after := newStage(t), 3
	s.options.Files = stops{s.options.Files, &after}
	if err := demo.Prepare(t.Context(), s.options); err == nil {
		t.Fatal("nothing went wrong")
	}
	before, err := os.ReadFile(s.file())
	if err != nil {
		t.Fatal(err)
	}
	after = 100
	sheet := s.prepare(t)
	for _, name := range []string{"DEMO_PASSWORD", "DEMO_CLIENT_ID"} {
		if value(sheet, name) != value(string(before), name) {
			t.Errorf("%s is another", name)
		}
	}
	if s.signsIn(t, "editor@example.test", value(sheet, "DEMO_PASSWORD")); after != 100-4 {
		t.Errorf("%d papers were brought by the second start, want 4", 100-after)
	}
	if folders, items, versions := s.count(t); folders != 60 || items != 304 || versions != 4 {
		t.Errorf("%d folders, %d items, %d versions", folders, items, versions)
	}
	twins, _, err := s.store.ListFacilities(t.Context(), demo.HubID, storage.PageRequest{})
	if err != nil || len(twins) != 1 {
		t.Errorf("%d twins, %v", len(twins), err)
	}
	if _, versions, _, err := s.store.FindTransmittal(t.Context(), demo.TowerID, 1); err != nil || len(versions) != 2 {
		t.Errorf("sent were %v, %v", versions, err)
	}
}

// Who tries Portico out changes what there is.
func TestAServerStartsAgainWhateverBecameOfTheDemoPerson(t *testing.T) {
	s := newStage(t)
	sheet := s.prepare(t)
	for _, c := range []struct {
		name   string
		become func(who storage.User) error
		people int
		anew   bool // there is another demo person, with another password
	}{
		{"another address", s.moves(t, "me@example.test"), 6, false},
		{"deleted", func(who storage.User) error {
			return s.options.People.Delete(t.Context(), storage.Act{At: s.options.Ambient.Now()}, who, true)
		}, 6, true},
		{"another address, and the sheet lost", func(who storage.User) error {
			return errors.Join(s.moves(t, "else@example.test")(who), os.Remove(s.file()))
		}, 7, true},
	} {
		was := value(sheet, "DEMO_PASSWORD")
		who, err := s.options.People.Find(t.Context(), value(sheet, "DEMO_USER"))
		if err == nil {
			err = c.become(who)
		}
		if err != nil {
			t.Fatal(c.name, err)
		}
		sheet = s.prepare(t)
		s.signsIn(t, value(sheet, "DEMO_USER"), value(sheet, "DEMO_PASSWORD"))
		s.signsIn(t, "editor@example.test", value(sheet, "DEMO_PASSWORD"))
		if got := value(sheet, "DEMO_PASSWORD") != was; got != c.anew {
			t.Errorf("%s: another password: %v", c.name, got)
		}
		all, err := s.store.ListUsers(t.Context(), storage.UserFilter{}, storage.PageRequest{})
		if err != nil || all.Total != c.people {
			t.Errorf("%s: %d people, %v; want %d", c.name, all.Total, err, c.people)
		}
	}
}

// The person chooses their address, and the operator's shell reads it.
func TestTheSheetIsTextToAShellWhateverTheAddress(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("this machine has no shell")
	}
	s := newStage(t)
	s.prepare(t)
	who, err := s.options.People.Find(t.Context(), "demo")
	const address = "`id`'$HOME|#&@example.test"
	if err = errors.Join(err, s.moves(t, address)(who)); err != nil {
		t.Fatal(err)
	}
	s.prepare(t)
	got, err := exec.CommandContext(t.Context(), shell, "-c", `. "$0"; printf %s "$DEMO_USER $DEMO_HUB"`, s.file()).CombinedOutput()
	if want := address + " " + demo.HubID; err != nil || string(got) != want {
		t.Errorf("a shell reads %s, %v; want %s", got, err, want)
	}
}

// moves gives somebody another address.
func (s *stage) moves(t *testing.T, to string) func(storage.User) error {
	return func(who storage.User) error {
		_, err := s.options.People.Update(t.Context(), storage.Act{At: s.options.Ambient.Now()}, who.ID,
			people.Change{Settings: []people.Setting{{Field: people.FieldEmail, Value: to}}})
		return err
	}
}

func (s *stage) signsIn(t *testing.T, who, plain string) {
	t.Helper()
	user, hash, err := s.store.FindUserByLogin(t.Context(), who)
	if err != nil {
		t.Fatalf("%s: %v", who, err)
	}
	if good, _, err := password.New(s.options.Ambient).Verify(t.Context(), hash, plain); err != nil || !good {
		t.Errorf("%s does not sign in with the password of the sheet: %v", user.Email, err)
	}
}

// Rule: DATA-54
func TestTheDemoHasAHubWithPeopleOfEveryRoleUnderFixedIDs(t *testing.T) {
	s := newStage(t)
	sheet := s.prepare(t)
	standing := func(user, folder string) storage.Standing {
		place, _, err := s.store.FindFolder(t.Context(),
			storage.Caller{ClientID: value(sheet, "DEMO_CLIENT_ID"), UserID: user}, demo.TowerID, demo.ID(folder))
		if err != nil {
			t.Fatal(err)
		}
		return place.Standing
	}
	for _, tt := range []struct {
		user, folder string
		want         storage.Level
	}{
		{demo.HubAdmin, demo.ProjectFiles, storage.LevelControl},
		{demo.ProjAdmin, demo.ProjectFiles, storage.LevelControl},
		{demo.Editor, demo.ProjectFiles, storage.LevelEdit},
		{demo.Editor, demo.DeepestFolder, storage.LevelEdit},
		{demo.Editor, demo.SharedFolder, storage.LevelControl},
		{demo.DeepViewer, demo.ProjectFiles, storage.LevelNone},
		{demo.DeepViewer, demo.DeepestFolder, storage.LevelView},
		{demo.Outsider, demo.DeepestFolder, storage.LevelNone},
	} {
		if got := standing(tt.user, tt.folder).Level(); got != tt.want {
			t.Errorf("%s in %s: level %d, want %d", tt.user, tt.folder, got, tt.want)
		}
	}
	if s := standing(demo.Outsider, demo.ProjectFiles); !s.Admitted() || s.HasPart() {
		t.Errorf("the outsider stands %+v", s)
	}
	way, err := s.store.ListAncestors(t.Context(), "", demo.TowerID, demo.ID(demo.DeepestFolder))
	if err != nil || len(way) != storage.MaxDepth+1 {
		t.Errorf("the deepest folder lies at level %d, %v", len(way)-1, err)
	}
	if _, hidden, err := s.store.FindFolder(t.Context(), storage.Caller{}, demo.TowerID,
		demo.ID(demo.HiddenFolder)); err != nil || !hidden.Hidden {
		t.Errorf("hidden folder: %+v, %v", hidden, err)
	}
	_, _, item, err := s.store.FindItem(t.Context(), storage.Caller{}, demo.TowerID, demo.ID(demo.ReservedItem))
	if err != nil || item.Item.ReservedBy != demo.Editor {
		t.Errorf("reserved item: %+v, %v", item.Item, err)
	}
	folders, items, versions := s.count(t)
	if folders != 60 || items != 304 || versions != 4 {
		t.Errorf("%d folders below Project Files, %d items with at most %d versions; want 60, 304 and 4",
			folders, items, versions)
	}
}

// count walks through Project Files.
func (s *stage) count(t *testing.T) (folders, items, mostVersions int) {
	t.Helper()
	waiting := []string{demo.ID(demo.ProjectFiles)}
	for len(waiting) > 0 {
		contents, err := s.store.ListContents(t.Context(), demo.TowerID, waiting[0],
			storage.ContentsQuery{Hidden: storage.HiddenIncluded}, storage.DataPage{})
		if err != nil || contents.Next != "" {
			t.Fatal(contents.Next, err)
		}
		waiting = waiting[1:]
		for _, f := range contents.Folders {
			folders, waiting = folders+1, append(waiting, f.ID)
		}
		for _, i := range contents.Items {
			items, mostVersions = items+1, max(mostVersions, i.Item.Tip)
		}
	}
	return folders, items, mostVersions
}

// Rule: FILES-25
func TestTheDemoHasFilesWithBytesToLookAtCompareAndRestore(t *testing.T) {
	s := newStage(t)
	s.prepare(t)
	there := func() []storage.ItemWithTip {
		found, err := s.store.ListContents(t.Context(), demo.TowerID, demo.ID(demo.SharedFolder),
			storage.ContentsQuery{NoFolders: true, Hidden: storage.HiddenIncluded}, storage.DataPage{})
		if err != nil {
			t.Fatal(err)
		}
		return slices.DeleteFunc(found.Items, func(i storage.ItemWithTip) bool { return i.Tip.ObjectKey == "" })
	}
	want := map[string]int{"Ground floor.pdf": 2, "Site.png": 2, "Handover list.txt": 2, "Earlier handover.txt": 1}
	for _, i := range there() {
		if i.Tip.Number != want[i.Item.Name] || i.Item.Hidden != (i.Item.Name == "Earlier handover.txt") {
			t.Errorf("%s has %d versions, hidden: %v", i.Item.Name, i.Tip.Number, i.Item.Hidden)
		}
		delete(want, i.Item.Name)
	}
	if len(want) > 0 {
		t.Errorf("%v are not there", want)
	}
	before := len(there())
	if s.prepare(t); len(there()) != before {
		t.Errorf("a second start made %d files of %d", len(there()), before)
	}
}

// Rule: FILES-31
func TestTheDemoHasSomethingThatWasSentAndATwin(t *testing.T) {
	s := newStage(t)
	for range 2 { // a second start makes no more
		s.prepare(t)
	}
	sent, versions, to, err := s.store.FindTransmittal(t.Context(), demo.TowerID, 1)
	if err != nil || len(versions) != 2 || len(to) != 2 || sent.SentBy != demo.Editor {
		t.Errorf("%+v %v %v %v", sent, versions, to, err)
	}
	if _, _, _, err := s.store.FindTransmittal(t.Context(), demo.TowerID, 2); err == nil {
		t.Error("it was sent twice")
	}
	facilities, _, err := s.store.ListFacilities(t.Context(), demo.HubID, storage.PageRequest{})
	if err != nil || len(facilities) != 1 {
		t.Fatal(facilities, err)
	}
	documents, _, err := s.store.ListDocuments(t.Context(), facilities[0].ID, storage.DocumentQuery{},
		storage.PageRequest{})
	if err != nil || len(documents) != 1 || documents[0].Name != "Ground floor.pdf" {
		t.Errorf("%+v %v", documents, err)
	}
}

// Its commands are tried beside the demo, whose people have their addresses already; and
// what they call is built first.
//
// Rule: ADMIN-25
func TestTheCommandsOfTheReadMeGoBesideTheDemo(t *testing.T) {
	s := newStage(t)
	s.prepare(t)
	readMe, err := os.ReadFile("../../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	added := regexp.MustCompile(`user create --email (\S+)`).FindAllStringSubmatch(string(readMe), -1)
	if len(added) == 0 {
		t.Error("README.md adds nobody")
	}
	for _, person := range added {
		if _, err := s.options.People.Find(t.Context(), person[1]); !fault.Is(err, fault.NotFound) {
			t.Errorf("README.md adds %s, whom the demo has: %v", person[1], err)
		}
	}
	before, _, _ := strings.Cut(string(readMe), "bin/portico ")
	if !strings.HasSuffix(before, "go build -o ") {
		t.Errorf("bin/portico is used before it is built:\n…%s", before[max(0, len(before)-200):])
	}
}
