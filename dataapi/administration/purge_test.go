package administration

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/gate/middleware"
	"github.com/portico-id/portico/storage"
)

// vast is a store with a hidden folder that it takes a minute to remove.
type vast struct{ Store }

func (vast) PurgeHidden(ctx context.Context, _ storage.Change, _ string, _ time.Time, _ int) (int, error) {
	time.Sleep(time.Minute)
	return 0, ctx.Err()
}

// It is done at once or not at all: cut off, it would begin anew each time.
//
// Rule: ADMIN-14
func TestAPurgeTakesAsLongAsItTakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := &API{rules: New(Options{Store: vast{}})}
		purge := func(w http.ResponseWriter, r *http.Request) {
			if err := api.purgeProject(w, r, errand{}); err != nil {
				t.Error(err)
			}
		}
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader("{}"))
		r.Header.Set("Content-Type", "application/json")
		middleware.Limit(10*time.Second, ambient.System(), http.HandlerFunc(purge)).ServeHTTP(httptest.NewRecorder(), r)
	})
}
