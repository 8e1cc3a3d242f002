package dataapi_test

import (
	"iter"
	"slices"
	"time"

	"github.com/portico-id/portico/dataapi/administration"
	"github.com/portico-id/portico/storage"
)

// scene is two hubs with people of every sort. Names say what a thing is; each
// occurs once, so that one that leaks is found by its name.
//
//	Main Hub
//	  Tower (project)
//	    Project Files
//	      Outer            editor: edit, viewer: view (through a group)
//	        report.txt     three versions
//	        reserved.txt   reserved by the editor
//	        deleted.txt    hidden
//	        Hidden         hidden folder, with buried.txt
//	        Middle
//	          Inner        deep: view; machine: download
//	            deep.txt
//	            Innermost
//	              innermost.txt
//	    Plans
//	      plan.txt         nobody but admins
//	  Bridge (project)     hub admins alone
//	Other Hub
//	  Far (project)        elsewhere: admin
type scene struct {
	*world
	hub, otherHub         storage.Hub
	tower, bridge, far    storage.Project
	files, plans          storage.Folder
	outer, middle, inner  string // uids
	innermost, hidden     string
	report, reserved      string
	deleted, buried       string
	deepItem, innerItem   string
	plan                  string
	group                 storage.Group
	hubAdmin, projAdmin   string
	editor, viewer, deep  string
	outsider, elsewhere   string
	machine, machineOwner string
	everyone              map[string]caller
	everyWriter           map[string]caller
}

func newScene(w *world) *scene {
	w.Helper()
	s := &scene{world: w}
	s.people()
	s.hubs()
	s.tree()
	s.rights()
	return s
}

func (s *scene) people() {
	s.hubAdmin, s.projAdmin = s.User("HUBADMINHUBADMIN"), s.User("PROJADMINPROJADM")
	s.editor, s.viewer, s.deep = s.User("EDITOREDITOREDIT"), s.User("VIEWERVIEWERVIEW"), s.User("DEEPVIEWERDEEPVI")
	s.outsider, s.elsewhere = s.User("OUTSIDEROUTSIDER"), s.User("ELSEWHEREELSEWHE")
	s.machineOwner, s.machine = "app-with-machine", "MACHINEMACHINEMA"
	s.Client(s.machineOwner)
	s.Must(s.Store.CreateServiceAccount(s.Context(), s.Operator().Act, storage.ServiceAccount{
		ID: s.machine, ClientID: s.machineOwner, CreatedBy: s.machineOwner, Name: "machine",
		Email: "machine@serviceaccount.example.test", Status: storage.ServiceAccountEnabled,
		CreatedAt: s.Ambient.Now(), ExpiresAt: s.Ambient.Now().AddDate(1, 0, 0),
	}))
}

func (s *scene) hubs() {
	var err error
	s.hub, err = s.Admin.CreateHub(s.Context(), s.Operator(), administration.NewHub{Name: "Main Hub", Region: "EMEA"})
	s.Must(err)
	s.otherHub, err = s.Admin.CreateHub(s.Context(), s.Operator(), administration.NewHub{Name: "Other Hub"})
	s.Must(err)
	s.tower, s.files, s.plans = s.project(s.hub, "Tower")
	s.bridge, _, _ = s.project(s.hub, "Bridge")
	s.far, _, _ = s.project(s.otherHub, "Far")
	for _, client := range []string{app, s.machineOwner} {
		s.provision(s.hub, client, storage.LevelControl, storage.AppForMembers)
	}
	s.provision(s.otherHub, app, storage.LevelControl, storage.AppForMembers)
}

// project adds a project and returns it with its first two folders.
func (s *scene) project(hub storage.Hub, name string) (project storage.Project, files, plans storage.Folder) {
	s.Helper()
	project, err := s.Admin.CreateProject(s.Context(), s.Operator(), administration.NewProject{HubID: hub.ID, Name: name})
	s.Must(err)
	place, err := s.Store.FindProject(s.Context(), storage.Caller{}, project.ID)
	s.Must(err)
	top, err := s.Store.ListTopFolders(s.Context(), place, storage.TopQuery{WithHidden: true})
	s.Must(err)
	for _, f := range top {
		if f.Kind == storage.FolderFiles {
			files = f
			continue
		}
		plans = f
	}
	return project, files, plans
}

func (w *world) provision(hub storage.Hub, client string, level storage.Level, users storage.AppUsers, ids ...string) {
	w.Helper()
	_, err := w.Admin.ProvisionApp(w.Context(), w.Operator(), storage.AppAccess{
		HubID: hub.ID, ClientID: client, Level: level, Users: users, UserIDs: ids,
	})
	w.Must(err)
}

func (s *scene) tree() {
	s.outer = s.folder(s.files.ID, "Outer")
	s.middle = s.folder(s.outer, "Middle")
	s.inner = s.folder(s.middle, "Inner")
	s.innermost = s.folder(s.inner, "Innermost")
	s.hidden = s.folder(s.outer, "Hidden")
	s.report = s.item(s.outer, "report.txt")
	for range 2 {
		_, err := s.Store.AddVersion(s.Context(), s.by(s.editor), s.tower.ID, s.report, s.version("report.txt"))
		s.Must(err)
	}
	s.reserved, s.deleted = s.item(s.outer, "reserved.txt"), s.item(s.outer, "deleted.txt")
	s.buried, s.deepItem = s.item(s.hidden, "buried.txt"), s.item(s.inner, "deep.txt")
	s.innerItem, s.plan = s.item(s.innermost, "innermost.txt"), s.item(s.plans.ID, "plan.txt")
	hide := true
	_, err := s.Store.UpdateFolder(s.Context(), s.Operator(), s.tower.ID, s.hidden, storage.FolderPatch{Hidden: &hide})
	s.Must(err)
	_, err = s.Store.UpdateItem(s.Context(), s.Operator(), s.tower.ID, s.deleted, storage.ItemPatch{Hidden: &hide})
	s.Must(err)
}

func (s *scene) folder(parent, name string) string {
	s.Helper()
	f, err := s.Store.CreateFolder(s.Context(), s.by(s.editor), s.tower.ID, storage.Folder{
		ID: s.Ambient.UID(), ParentID: parent, Name: name,
		Extension: storage.Extension{Type: "folders:portico.core:Folder", Version: "1.0"},
	})
	s.Must(err)
	return f.ID
}

func (s *scene) version(name string) storage.NewVersion {
	return storage.NewVersion{
		Name: name, MimeType: "text/plain", FileType: "txt",
		Extension: storage.Extension{Type: "versions:portico.core:File", Version: "1.0"},
	}
}

func (s *scene) item(folder, name string) string {
	s.Helper()
	i, err := s.Store.CreateItem(s.Context(), s.by(s.editor), s.tower.ID, storage.Item{
		ID: s.Ambient.UID(), FolderID: folder, Name: name,
		Extension: storage.Extension{Type: "items:portico.core:File", Version: "1.0"},
	}, s.version(name))
	s.Must(err)
	return i.Item.ID
}

func (s *scene) rights() {
	for hub, member := range map[string]administration.Membership{
		s.hubAdmin:  {HubID: s.hub.ID, Admin: true},
		s.projAdmin: {ProjectID: s.tower.ID, Admin: true},
		s.outsider:  {HubID: s.hub.ID},
		s.elsewhere: {ProjectID: s.far.ID, Admin: true},
	} {
		member.UserID = hub
		s.Must(s.Admin.SetMember(s.Context(), s.Operator(), member))
	}
	var err error
	s.group, err = s.Admin.CreateGroup(s.Context(), s.Operator(), s.hub.ID, "Readers")
	s.Must(err)
	s.Must(s.Admin.AddToGroup(s.Context(), s.Operator(), s.group, s.viewer))
	s.grant(storage.FolderGrant{FolderID: s.outer, UserID: s.editor, Level: storage.LevelEdit})
	s.grant(storage.FolderGrant{FolderID: s.outer, GroupID: s.group.ID, Level: storage.LevelView})
	s.grant(storage.FolderGrant{FolderID: s.inner, UserID: s.deep, Level: storage.LevelView})
	s.grant(storage.FolderGrant{FolderID: s.inner, UserID: s.machine, Level: storage.LevelDownload})
	_, err = s.Store.ReserveItem(s.Context(), s.by(s.editor), s.tower.ID, s.reserved)
	s.Must(err)
}

func (s *scene) grant(g storage.FolderGrant) {
	s.Helper()
	s.Must(s.Admin.SetGrant(s.Context(), s.Operator(), s.tower.ID, g))
}

// as is a three-legged caller of the app that is provisioned everywhere.
func as(user string) caller { return caller{client: app, user: user} }

// Paths of the scene.
func (s *scene) hubURL() string   { return "/project/v1/hubs/" + s.hub.ID }
func (s *scene) towerURL() string { return s.hubURL() + "/projects/" + s.tower.ID }
func (s *scene) inTower(rest string) string {
	return "/data/v1/projects/" + s.tower.ID + rest
}

func (s *scene) folderURL(uid string) string { return s.inTower("/folders/" + folderURN(uid)) }
func (s *scene) itemURL(uid string) string   { return s.inTower("/items/" + itemURN(uid)) }
func (s *scene) versionURL(uid, n string) string {
	return s.inTower("/versions/urn:portico:fs.file:vf." + uid + "%3Fversion%3D" + n)
}

// ids fills the variables of an operation's template with things in a folder.
func (s *scene) ids(folder, item string) map[string]string {
	return map[string]string{
		"hub_id": s.hub.ID, "project_id": s.tower.ID, "folder_id": folderURN(folder),
		"item_id": itemURN(item), "version_id": versionURN(item, "1"),
	}
}

// all is a sequence of what a function makes of numbers.
func all[T any](n int, f func(int) T) iter.Seq[T] {
	return func(yield func(T) bool) {
		for i := range n {
			if !yield(f(i)) {
				return
			}
		}
	}
}

func sorted(words []string) []string {
	words = slices.Clone(words)
	slices.Sort(words)
	return words
}

func (s *scene) folderRecord(uid string) (storage.Folder, storage.Standing) {
	s.Helper()
	place, f, err := s.Store.FindFolder(s.Context(), storage.Caller{}, s.tower.ID, uid)
	s.Must(err)
	return f, place.Standing
}

// seven is a time with seven digits, as answers have it.
func seven(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.0000000Z") }

func objectIn(project string) storage.Object {
	return storage.Object{Bucket: "wip", Key: "0f8e.txt", ProjectID: project, Name: "report.txt"}
}

func membership(hub, user string) administration.Membership {
	return administration.Membership{HubID: hub, UserID: user}
}
