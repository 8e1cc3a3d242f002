package sqlstore_test

import (
	"testing"
	"time"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/storagetest"
)

// Who is taken out of a hub, while somebody gives them something in it, either has neither
// or is in both: else they would find it again when they come back.
//
// Rule: ADMIN-10
func TestWhoIsTakenOutOfAHubHasNothingLeftInIt(t *testing.T) {
	type giving struct {
		held string // what the other transaction has begun, which the act has to wait for
		args func(w *storagetest.Tree, group string) []any
		act  func(w *storagetest.Tree, group, user string) error
	}
	inProject := func(w *storagetest.Tree, _ string) []any { return []any{w.Project.ID} }
	for name, g := range map[string]giving{
		"project": {`INSERT INTO project_members SELECT id, $1, false, 0 FROM projects WHERE uid = $2`, inProject,
			func(w *storagetest.Tree, _, user string) error {
				return w.Data.SetProjectMember(w.Ctx(), w.Change(), w.Project.ID, user, true)
			}},
		"group": {`INSERT INTO group_members (user_id, group_id) VALUES ($1, $2)`,
			func(_ *storagetest.Tree, group string) []any { return []any{group} },
			func(w *storagetest.Tree, group, user string) error {
				return w.Data.AddGroupMember(w.Ctx(), w.Change(), w.Hub.ID, group, user)
			}},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHalfway(t)
			engine := onPostgres()
			engine.NewDatabase = func(testing.TB) string { return h.address }
			w := storagetest.NewTree(t, engine)
			user, group := w.User().ID, w.Source.UID()
			w.Must(w.Data.CreateGroup(w.Ctx(), w.Change(), storage.Group{ID: group, HubID: w.Hub.ID, Name: "g",
				CreatedAt: w.Now()}))
			w.Must(w.Data.SetHubMember(w.Ctx(), w.Change(), w.Hub.ID, user, false))
			h.begin(g.held, append([]any{user}, g.args(w, group)...)...)
			given, left := make(chan error, 1), make(chan error, 1)
			go func() { given <- g.act(w, group, user) }()
			h.untilOneWaits(given)
			leave := w.Change()
			go func() { left <- w.Data.RemoveHubMember(w.Ctx(), leave, w.Hub.ID, user) }()
			time.Sleep(300 * time.Millisecond)
			w.Must(h.tx.Rollback())
			w.Must(<-given)
			w.Must(<-left)
			var lost int
			w.Must(h.db.QueryRow(`SELECT count(*) FROM (SELECT user_id FROM project_members UNION ALL
				SELECT user_id FROM group_members) m WHERE user_id = $1 AND NOT EXISTS (
				SELECT 1 FROM hub_members h WHERE h.user_id = m.user_id)`, user).Scan(&lost))
			w.Equal(0, lost)
		})
	}
}
