package people

import (
	"context"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/internal/gate/middleware"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
)

// crowd is a store that takes its time for those whom it adds, and a post for them.
type crowd struct {
	Store
	Post
	takes time.Duration
	mails int
}

func (*crowd) FindLogins(context.Context, []string) (map[string]bool, error) { return nil, nil }

func (*crowd) DropImport(context.Context, string) error { return nil }

func (c *crowd) CreateUsers(ctx context.Context, act storage.Act, _ []storage.User) error {
	time.Sleep(c.takes)
	c.mails = len(act.Mails)
	return ctx.Err()
}

func (*crowd) Delivers() bool { return true }

func (*crowd) Mail(string, string, templates.Letter) storage.Mail { return storage.Mail{} }

// Rule: ADMIN-30
func TestAnInvitationCostsNoMoreWhereThousandsAreInvited(t *testing.T) {
	invited := func(people int) uint64 {
		c := &crowd{}
		p := New(Options{Store: c, Post: c, Ambient: ambient.System()})
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := p.CarryOut(t.Context(), storage.Act{}, ImportPlan{People: make([]storage.User, people)}, true, "Somebody")
		runtime.ReadMemStats(&after)
		if err != nil || c.mails != people {
			t.Errorf("%d mails for %d people: %v", c.mails, people, err)
		}
		return (after.TotalAlloc - before.TotalAlloc) / uint64(people)
	}
	if few, many := invited(500), invited(4000); many > 2*few {
		t.Errorf("%d bytes for each of few, %d for each of many", few, many)
	}
}

// All are added or nobody: cut off, it would begin anew each time.
//
// Rule: ADMIN-30
func TestAnImportTakesAsLongAsItTakes(t *testing.T) {
	c := &crowd{takes: time.Minute}
	p := New(Options{Store: c, Post: c, Ambient: ambient.System()})
	api, desk := NewAPI(p, nil, "", nil), &Desk{people: p}
	for media, serve := range map[string]func(http.ResponseWriter, *http.Request) error{
		"text/csv": func(w http.ResponseWriter, r *http.Request) error { return api.importUsers(w, r, adminapi.Call{}) },
		"application/x-www-form-urlencoded": func(w http.ResponseWriter, r *http.Request) error {
			return desk.carryOutImport(w, r, websession.Visit{}, "import", ImportPlan{})
		},
	} {
		t.Run(media, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				body := map[string]string{"text/csv": "email\nann@example.test\n"}[media]
				r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(body))
				r.Header.Set("Content-Type", media)
				done := func(w http.ResponseWriter, r *http.Request) {
					if err := serve(w, r); err != nil {
						t.Error(err)
					}
				}
				middleware.Limit(10*time.Second, ambient.System(), http.HandlerFunc(done)).ServeHTTP(httptest.NewRecorder(), r)
			})
		})
	}
}
