package transmittal_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/portico-id/portico/dataapi/administration"
	"github.com/portico-id/portico/internal/harness/pgtest"
	"github.com/portico-id/portico/internal/harness/sqlitetest"
	"github.com/portico-id/portico/storage"
)

// losses are how a sender, or somebody to whom it is sent, loses what they had.
var losses = map[string]func(w *world, user string){
	"the account is disabled": func(w *world, user string) {
		w.Must(w.Store.SetUserDisabled(w.Context(), w.Operator().Act, user, true))
	},
	"the hub is left": func(w *world, user string) {
		w.Must(w.Admin.RemoveMember(w.Context(), w.Operator(), administration.Membership{HubID: w.hub.ID, UserID: user}))
	},
	"the right is taken back": func(w *world, user string) {
		w.Must(w.Store.RemoveFolderGrant(w.Context(), w.Operator(), w.project.ID,
			storage.FolderGrant{FolderID: w.folder.ID, UserID: user}))
	},
}

// ends are how something can't be sent by anybody any more.
var ends = map[string]struct {
	act  func(w *world)
	want int
}{
	"the folder is hidden": {(*world).hideFolder, 404},
	"the folder is deleted": {func(w *world) {
		w.hideFolder()
		_, err := w.Store.PurgeHidden(w.Context(), w.Operator(), w.project.ID, w.Ambient.Now().Add(time.Hour), 10)
		w.Must(err)
	}, 404},
	"the file is hidden": {func(w *world) {
		yes := true
		_, err := w.Store.UpdateItem(w.Context(), w.Operator(), w.project.ID, w.plan, storage.ItemPatch{Hidden: &yes})
		w.Must(err)
	}, 404},
	"the project is not active": {func(w *world) {
		w.Must(w.Store.PatchProject(w.Context(), w.Operator(), w.project.ID, storage.ProjectPatch{Active: new(false)}))
	}, 422},
	"the app is withdrawn": {func(w *world) {
		w.Must(w.Admin.WithdrawApp(w.Context(), w.Operator(), w.hub.ID, app))
	}, 403},
	"the project is archived": {func(w *world) {
		w.Must(w.Store.PatchProject(w.Context(), w.Operator(), w.project.ID, storage.ProjectPatch{Archived: new(true)}))
	}, 423},
}

func (w *world) hideFolder() {
	yes := true
	_, err := w.Store.UpdateFolder(w.Context(), w.Operator(), w.project.ID, w.folder.ID,
		storage.FolderPatch{Hidden: &yes})
	w.Must(err)
}

// refuses asks that nothing is sent when the act comes between the look at rights and the
// sending, nor after it.
func refuses(t *testing.T, name string, act func(w *world), want ...int) {
	for engine, url := range map[string]func(testing.TB) string{"sqlite": sqlitetest.URL, "postgres": pgtest.URL} {
		t.Run(name+"/"+engine, func(t *testing.T) {
			w := newWorld(t, url(t))
			w.before = func() { act(w) }
			for _, when := range []string{"meanwhile", "before"} {
				status, said := w.said("edit", "POST", "", draft([]string{"view"}, w.plan))
				if !slices.Contains(want, status) {
					t.Errorf("%s: %d %v, want %v", when, status, said, want)
				}
			}
			all, _, err := w.Store.ListTransmittals(w.Context(), w.project.ID, "", storage.PageRequest{})
			w.Must(err)
			w.Equal(0, len(all))
		})
	}
}

// Rules: SENT-1, SENT-3
func TestWhatRightsAreWhenItIsSentIsWhatCounts(t *testing.T) {
	for name, lose := range losses {
		refuses(t, "sender: "+name, func(w *world) { lose(w, "edit") }, 401, 403, 404)
		refuses(t, "reader: "+name, func(w *world) { lose(w, "view") }, 422)
	}
	for name, end := range ends {
		refuses(t, name, end.act, end.want)
	}
}

// Rule: SENT-3
func TestAGroupStandsForThoseWhoAreInItWhenItIsSent(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		group, err := w.Admin.CreateGroup(w.Context(), w.Operator(), w.hub.ID, "Architects")
		w.Must(err)
		for _, id := range []string{"view", "download"} {
			w.Must(w.Admin.AddToGroup(w.Context(), w.Operator(), group, id))
		}
		to := func(number string) (ids []any) {
			_, said := w.said("edit", "GET", "/"+number, nil)
			for _, p := range said["to"].([]any) {
				ids = append(ids, p.(object)["user_id"])
			}
			return ids
		}
		w.before = func() {
			w.Must(w.Admin.RemoveFromGroup(w.Context(), w.Operator(), group, "view"))
			w.Must(w.Admin.AddToGroup(w.Context(), w.Operator(), group, "publish"))
		}
		w.sent([]string{"Architects"}, w.plan)
		w.Equal([]any{"download", "publish"}, to("1"))
		w.before = func() { w.Must(w.Admin.AddToGroup(w.Context(), w.Operator(), group, "outsider")) }
		status, said := w.said("edit", "POST", "", draft([]string{"Architects"}, w.plan))
		w.Equal([]any{422, "recipient_cannot_view"}, []any{status, said["errors"].([]any)[0].(object)["code"]})
		w.Must(w.Admin.RemoveFromGroup(w.Context(), w.Operator(), group, "outsider"))

		// Who can't come in at all keeps nobody else from it.
		w.Must(w.Store.SetUserDisabled(w.Context(), w.Operator().Act, "publish", true))
		w.sent([]string{"Architects"}, w.plan)
		w.Equal([]any{"download"}, to("2"))
		w.Must(w.Store.SetUserDisabled(w.Context(), w.Operator().Act, "download", true))
		status, said = w.said("edit", "POST", "", draft([]string{"Architects"}, w.plan))
		w.Equal([]any{422, "recipient_absent"}, []any{status, said["errors"].([]any)[0].(object)["code"]})
	})
}

// Rules: SENT-1, SENT-4
func TestAGuestOfAnotherProjectNeitherSendsNorSees(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		other, err := w.Admin.CreateProject(w.Context(), w.Operator(),
			administration.NewProject{HubID: w.hub.ID, Name: "Next door"})
		w.Must(err)
		w.Must(w.Admin.SetMember(w.Context(), w.Operator(),
			administration.Membership{ProjectID: other.ID, UserID: "outsider", Admin: true}))
		w.sent([]string{"view"}, w.plan)
		for _, tt := range []struct{ method, path string }{{"POST", ""}, {"GET", ""}, {"GET", "/1"}, {"GET", "/1/fetches"},
			{"POST", "/1/archive"}, {"GET", bytesOf("1", w.plan)}} {
			status, _ := w.call("outsider", tt.method, tt.path, draft([]string{"view"}, w.plan))
			w.Equal(404, status)
		}
		address := w.URL + "/files/v1/projects/" + other.ID + "/transmittals"
		status, _ := w.ask("outsider", "POST", address, draft([]string{"outsider"}, w.plan)) // a file of another project
		w.Equal(404, status)
		status, _ = w.ask("outsider", "GET", address+"/1", nil)
		w.Equal(404, status)
	})
}

// Rule: SENT-2
func TestManyAreSentAtOnceOverHTTP(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		const senders = 12
		var group sync.WaitGroup
		numbers, by := make([]int, senders), []string{"edit", "control", "admin"}
		for i := range senders {
			group.Go(func() {
				status, said := w.said(by[i%len(by)], "POST", "", draft([]string{"view", "download"}, w.plan, w.note))
				if status != 201 {
					t.Errorf("%d %v", status, said)
					return
				}
				numbers[i] = int(said["number"].(float64))
			})
		}
		group.Wait()
		slices.Sort(numbers)
		for i, number := range numbers {
			w.Equal(i+1, number)
		}
	})
}
