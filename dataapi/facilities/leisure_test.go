package facilities

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/mux"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/gate/middleware"
	"github.com/portico-id/portico/storage"
)

// vast is a store with a twin in which each change takes a minute.
type vast struct{ Store }

func (vast) ListProperties(context.Context, string) ([]storage.Property, error) { return nil, nil }

func (vast) Mutate(ctx context.Context, _ storage.Change, _ storage.Mutation) (storage.MutationRecord, error) {
	time.Sleep(time.Minute)
	return storage.MutationRecord{}, ctx.Err()
}

// It comes whole or not at all: cut off, it would begin anew each time.
//
// Rule: TWIN-2
func TestAFileOfVeryManyElementsTakesAsLongAsItTakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := &API{rules: New(Options{Store: vast{}, Ambient: ambient.System(), Namespace: "portico"})}
		serve := func(w http.ResponseWriter, r *http.Request) {
			if err := api.importElements(w, r, errand{}); err != nil {
				t.Error(err)
			}
		}
		r := mux.SetURLVars(httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader("key\na\n")),
			map[string]string{modelVariable: strings.Repeat("A", 22)})
		r.Header.Set("Content-Type", "text/csv")
		middleware.Limit(10*time.Second, ambient.System(), http.HandlerFunc(serve)).ServeHTTP(httptest.NewRecorder(), r)
	})
}
