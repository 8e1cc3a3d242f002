package twins

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
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

// vast is a store with a twin in which each change takes a minute.
type vast struct{ Store }

func (vast) FindFacility(context.Context, storage.Caller, string) (storage.TwinPlace, error) {
	standing := storage.Standing{AppLevel: storage.LevelControl, AppActsFor: true, UserEnabled: true}
	return storage.TwinPlace{Hub: storage.Hub{Active: true}, Standing: standing}, nil
}

func (vast) ListModels(context.Context, string) ([]storage.TwinModel, error) {
	return []storage.TwinModel{{Default: true}}, nil
}

func (vast) Mutate(ctx context.Context, _ storage.Change, _ storage.Mutation) (storage.MutationRecord, error) {
	time.Sleep(time.Minute)
	return storage.MutationRecord{}, ctx.Err()
}

func (v vast) UndoMutation(ctx context.Context, change storage.Change, _ string, _ int64,
	_ string) (storage.MutationRecord, error) {
	return v.Mutate(ctx, change, storage.Mutation{})
}

// It is done at once or not at all: cut off, it would begin anew each time.
//
// Rules: TWIN-3, TWIN-14
func TestWhatChangesVeryManyElementsTakesAsLongAsItTakes(t *testing.T) {
	h := New(Options{Store: vast{}, Ambient: ambient.System(), Namespace: "portico"})
	for name, serve := range map[string]httpio.Handler{"undo": h.Undo, "a table": h.PutTable} {
		synctest.Test(t, func(t *testing.T) {
			table := strings.NewReader("key,family,column,document,name\na,z,c,,\n")
			r := mux.SetURLVars(httptest.NewRequestWithContext(t.Context(), http.MethodPut, "/", table),
				map[string]string{twinVariable: h.urn.Twin(strings.Repeat("A", 22)), mutationVariable: "1"})
			r.Header.Set("Content-Type", csvType)
			done := func(w http.ResponseWriter, r *http.Request) {
				if err := serve(w, r); err != nil {
					t.Error(name, err)
				}
			}
			middleware.Limit(10*time.Second, ambient.System(), http.HandlerFunc(done)).ServeHTTP(httptest.NewRecorder(), r)
		})
	}
}
