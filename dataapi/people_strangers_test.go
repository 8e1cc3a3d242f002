package dataapi_test

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/portico-id/portico/storage"
)

// once are the marks of one request.
var once = regexp.MustCompile(`form=[\w-]{20,}|<code>[0-9a-f-]{36}</code>`)

// Rule: ADMIN-12
func TestWhoOnlyGivesRightsLearnsOfNobodyOutsideTheHub(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		p := s.pages()
		stranger := s.User("STRANGERSTRANGER")
		s.Must(s.Store.SetFolderGrant(t.Context(), s.Operator(), s.tower.ID,
			storage.FolderGrant{FolderID: s.outer, UserID: s.viewer, Level: storage.LevelControl}))
		folder := p.pagesOf(thing{"Outer", s.outer, p.pictureIn(s.outer)})["folder"]
		told := func(handle string) string {
			var all []string
			for _, page := range []string{"/share", "/sees"} {
				got := p.press(s.viewer, folder+page+"?form=x", "user", handle, "level", "view")
				all = append(all, fmt.Sprint(got.Code, got.Header().Get("Location"), got.Body))
			}
			group := "/files/hubs/" + s.hub.ID + "/admin/groups/" + s.group.ID
			for _, page := range [][2]string{{s.viewer, folder + "/sees?user=" + url.QueryEscape(handle)},
				{s.viewer, folder + "/share/" + handle + "/remove"},
				{s.hubAdmin, group + "/members/" + handle + "/remove"}} {
				got := p.open(page[0], page[1])
				all = append(all, fmt.Sprint(got.Code, got.Body))
			}
			return once.ReplaceAllString(strings.ReplaceAll(strings.Join(all, "\n"), handle, "X"), "")
		}
		for stands, nobody := range map[string]string{stranger: "NOBODYNOBODYNOBO",
			"strangerstranger@example.test": "nobody@example.test"} {
			s.Equal(told(nobody), told(stands))
		}
		if got := p.press(s.viewer, folder+"/sees?form=y", "user", "editoreditoredit@example.test"); got.Code != 303 {
			t.Errorf("a member of the hub: %d %s", got.Code, got.Body)
		}
	})
}
